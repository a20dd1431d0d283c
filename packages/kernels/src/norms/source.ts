export { normGradients } from './backward'
export { norms } from './forward'
