export { chooseFast, type FastChoice, type FastDevice, type FastProblem } from './choose'
