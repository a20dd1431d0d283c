export { chooseScan, type ScanWay } from './choose'
export { type ScanArgs, scan } from './host'
export { SCAN_BLOCK } from './plan'
export { scanReference } from './reference'
