export { chooseScan, type ScanChoice } from './choose'
export { type ScanArgs, type ScanOptions, scan } from './host'
export { SCAN_BLOCK } from './plan'
export { scanReference } from './reference'
