/// <reference lib="esnext.disposable" preserve="true" />
/**
 * What tests need of us, published as `agent-supervisor/testing`: time and chance that a test
 * decides, ports in memory, agents that misbehave in known ways, a strict model server, and the
 * suites that an engine or a journal of your own has to pass.
 */
export { seededLuck } from '../base/luck.ts';
export { MemoryDisk, MemoryJournal } from '../store/memory/memory-journal.ts';
export { engineConformance } from './engine-conformance.ts';
export { journalConformance } from './journal-conformance.ts';
export { crashingJournal } from './journal-faults.ts';
export { ManualClock, settle } from './manual-clock.ts';
export { PuppetPerformer } from './puppet-performer.ts';
export { puppetProgram, puppetSubmission } from './puppet-program.ts';
export { explain, simulate } from './world/simulate.ts';
export { SCRIPTED_PROGRAMS, scriptedAgent } from './scripted-agents.ts';
export type { Fault, FaultRule } from './model-server/faults.ts';
export type { Answered, Exchange } from './model-server/journal.ts';
export type { CallKind } from '../gateway/classify-call.ts';
export type { Answer, Script, ScriptFunction, View } from './model-server/script.ts';
export type { ModelServerOptions, RuleName } from './model-server/server.ts';
export { ModelServer } from './model-server/server.ts';
export type { ToolCall, Unit, Usage, WireName } from './model-server/wire.ts';
