export { saxpy } from './saxpy'
