export { kvAppend, kvAppendHalf, kvAppendToHalf } from './append'
