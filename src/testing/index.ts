/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The test kit, published as `agent-supervisor/testing`. It has a clock and random numbers that a
 * test controls, ports in memory, agents that misbehave in known ways, and a strict model server.
 * It also has the suites that an engine or a journal must pass.
 */
export { seededRandom } from '../base/random.ts';
export { MemoryDisk } from '../store/memory/memory-disk.ts';
export { MemoryJournal } from '../store/memory/memory-journal.ts';
export { engineConformance } from './conformance/engine-conformance.ts';
export { journalConformance } from './conformance/journal-conformance.ts';
export { crashingJournal } from './fakes/crashing-journal.ts';
export { ManualClock, settle } from './fakes/manual-clock.ts';
export { FakePerformer } from './fakes/fake-performer.ts';
export { fakeProgram, fakeSubmission } from './fakes/fake-program.ts';
export { SCRIPTED_PROGRAMS, scriptedAgent } from './scripted-agents.ts';
export type { Fault, FaultRule } from './model-server/model-faults.ts';
export type { Answered, RecordedExchange } from './model-server/request-journal.ts';
export type { CallKind } from '../gateway/calls/classify-call.ts';
export type { ScriptedAnswer, Script, ScriptFunction, View } from './model-server/model-script.ts';
export type { ModelServerOptions, RuleName } from './model-server/model-server.ts';
export { ModelServer } from './model-server/model-server.ts';
export type { ToolCall, MessageUnit, Usage, WireName } from './model-server/model-wire.ts';
