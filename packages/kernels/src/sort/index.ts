export { chooseRadix, type RadixChoice } from './choose'
export {
  type CompactArgs,
  compact,
  type HistogramArgs,
  type HistogramRangeArgs,
  histogram,
  histogramRange,
  type SortArgs,
  type SortPairsArgs,
  type SortType,
  sort,
  sortPairs,
} from './host'
export { argsortReference, compareNumbers, histogramReference } from './reference'
