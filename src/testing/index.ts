/** What tests of agents need, published as `agent-supervisor/testing`. */
export { ManualClock } from './manual-clock.ts';
export type { Fault, FaultRule } from './model-server/faults.ts';
export type { Answered, Exchange } from './model-server/journal.ts';
export type { Kind } from './model-server/kinds.ts';
export type { Answer, Script, ScriptFunction, View } from './model-server/script.ts';
export type { ModelServerOptions, RuleName } from './model-server/server.ts';
export { ModelServer } from './model-server/server.ts';
export type { ToolCall, Unit, Usage, WireName } from './model-server/wire.ts';
