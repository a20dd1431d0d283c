export { attentionForwardOf, attentionForwards, type ForwardOptions } from './forward'
