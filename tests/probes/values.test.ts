import { bitcasts, constructors, conversions, elements, products, swizzles } from './constructs.js'
import { probeSuite } from './suite.js'

// what is no row of a table: conversions, bitcasts, constructors, swizzles, indices, matrix products
await probeSuite('values', [...conversions, ...bitcasts, ...constructors, ...swizzles, ...elements, ...products])
