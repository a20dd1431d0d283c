export { losses } from './losses'
export { softmaxes } from './softmaxes'
