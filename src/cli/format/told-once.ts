/** Shows the final message of an agent once on the screen of a run, although three events have it. */
import { oneLine } from '../../base/text.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { RunHistory } from '../../reports/runs/run-history.ts';

/** In characters. More of a message need not match: the reason of a run is cut. */
const COMPARED_MAX = 200;
const SHOWN_MAX = 20_000;

export class ToldOnce {
  #shown = '';

  /** A line of an agent's output is on the screen. */
  add(line: string): void {
    this.#shown = `${this.#shown} ${oneLine(line)}`.slice(-SHOWN_MAX);
  }

  /**
   * The event as the screen shows it. An agent says its final message itself, before its attempt ends, so the end of
   * the attempt does not repeat it. A scripted agent says nothing. `history` includes the event.
   */
  withoutRepetition(event: RunEvent, { attempts }: Pick<RunHistory, 'attempts'>): RunEvent {
    const last = attempts.at(-1);
    const isScripted = last?.agentCli === 'scripted';
    if (event.type === 'command.ended' && event.payload.command === 'attempt') {
      const { payload } = event;
      if (isScripted || payload.end.kind !== 'done' || payload.end.result.kind !== 'completed')
        return event;
      const result = { ...payload.end.result, summary: '' };
      return { ...event, payload: { ...payload, end: { kind: 'done', result } } };
    }
    if (event.type !== 'run.ended') return event;
    const { kind, reason } = event.payload.outcome;
    const start = oneLine(last?.summary ?? '').slice(0, COMPARED_MAX);
    const isMessage = start !== '' && oneLine(reason).slice(0, COMPARED_MAX) === start;
    if (!isMessage || !(isScripted || this.#shown.includes(start))) return event;
    return { ...event, payload: { ...event.payload, outcome: { kind, reason: '' } } };
  }
}
