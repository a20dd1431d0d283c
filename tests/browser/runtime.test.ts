import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleFor, type Opened, open, without } from './chromium.js'
import type * as program from './page.js'

/** The runtime in a real browser: one page, whose steps follow on each other. */

describe.skipIf(without !== undefined)(without === undefined ? 'in Chromium' : `in Chromium (${without})`, () => {
  let chromium: Opened
  let info: Awaited<ReturnType<typeof program.create>>

  beforeAll(async () => {
    chromium = await open(await bundleFor('./page.ts'))
    info = await call('create')
  })
  afterAll(() => chromium?.close())

  /** Calls a function of the page. */
  const call = <K extends keyof typeof program>(name: K) =>
    chromium.page.evaluate(`weft.${name}()`) as Promise<Awaited<ReturnType<(typeof program)[K]>>>

  it('creates a runtime on navigator.gpu, and says that it is software', () => {
    expect(info).toMatchObject({ backend: 'webgpu', software: true })
    expect(info.bindable).toBeGreaterThan(2 ** 27)
    expect(info.features).toContain('subgroups')
  })

  it('runs a batch with uploads in between as one submit, and reads back', async () => {
    expect(await call('run')).toEqual({ submits: 1, first: 0, at5: 10 * 5 + 10 * (5 + 255 * 256), last: 20 * 1000 })
  })

  it('[case-R09] prepares, records and replays, and says what is stale', async () => {
    const { seen, submits, stale } = await call('replay')
    // Σ over b of 7 + b
    expect(seen).toEqual([8, 17, 27, 38, 50])
    expect(submits).toBe(5)
    expect(stale).toMatch(/^stale-replay: 'affine' was prepared with a buffer that is gone: its 'y'/)
  })

  it('profiles', async () => {
    const { clock, dispatches, names, events, report } = await call('profile')
    expect({ dispatches, names }).toEqual({ dispatches: 5, names: ['fill'] })
    expect(clock).toBe('gpu')
    expect(events).toBeGreaterThanOrEqual(5)
    expect(report).toContain('fill')
  })

  it('[case-R42] loses its device, which the page destroys with work under way, and recovers', async () => {
    await call('destroyInFlight')
    const { codes, later, buffer, lost, pipelines } = await call('afterLoss')
    const destroyed = 'device-lost: the device was lost (destroyed): Device was destroyed.'
    expect([...codes, later, buffer]).toEqual(Array(5).fill(destroyed))
    expect(lost).toContain('note: create another runtime')
    expect(pipelines).toBe(0)
    expect(await call('recover')).toEqual([42, 42, 42])
  })

  it('[case-R42] loses its device with the process of the browser that has it, and recovers', async () => {
    await call('keepBusy')
    const session = await chromium.browser.newBrowserCDPSession()
    await session.send('Browser.crashGpuProcess')
    const { codes, later, lost } = await call('afterLoss')
    for (const code of codes) expect(code).toMatch(/^device-lost: /)
    expect(later).toMatch(/^device-lost: the device was lost \(unknown\)/)
    expect(lost).toContain('device-lost')
    expect(await call('recover')).toEqual([42, 42, 42])
  })

  it('throws nothing that nobody catches', () => {
    expect(chromium.logged.filter((text) => /uncaught|unhandled|weft/i.test(text))).toEqual([])
  })
})
