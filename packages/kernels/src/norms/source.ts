export { normGradients } from './backward'
export { gradientsByRows } from './backward-rows'
export { norms } from './forward'
