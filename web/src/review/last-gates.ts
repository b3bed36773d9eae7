/** The last verdict of each gate of a run, from its facts. */
import type { RunEvent } from '../../../src/protocol/event.ts';

export type GateVerdict = { readonly name: string; readonly verdict: string };

export function lastGates(events: readonly RunEvent[]): readonly GateVerdict[] {
  const verdicts = new Map<string, string>();
  for (const { type, payload } of events) {
    if (type === 'command.begun' && payload.command === 'gate')
      verdicts.set(payload.input.name, 'running');
    if (type !== 'command.ended' || payload.command !== 'gate' || payload.end.kind !== 'done')
      continue;
    const { name, kind } = payload.end.result;
    verdicts.set(name, kind);
  }
  return [...verdicts].map(([name, verdict]) => ({ name, verdict }));
}
