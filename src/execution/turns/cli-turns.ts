/**
 * Makes turns from the events of a CLI, for attempts without a gateway. A turn begins when the model speaks or calls a
 * tool after results have come. What a CLI does not report is unknown here: the context, subagents, some outputs.
 */
import type { AgentEvent } from '../../adapters/agent-event.ts';
import type { TurnRecord, TurnStep } from '../../protocol/turn.ts';
import { TURN_BOUNDS } from '../../protocol/turn.ts';
import { boundedLine } from '../../turns/bounded-text.ts';
import { turnCall, turnStep } from '../../turns/turn-step.ts';
import type { MadeCall } from '../../turns/turn-step.ts';

type ToolResult = Extract<AgentEvent, { kind: 'tool-result' }>;
type OpenCall = MadeCall & { readonly id: string | null };
/** `steps` ended before it. */
type Answer = { text: string; readonly calls: OpenCall[]; readonly steps: readonly TurnStep[] };

const { itemsMax, nameCharsMax, textCharsMax } = TURN_BOUNDS;
/** Of the text that is read of one message. */
const TEXT_READ_MAX = 2 * textCharsMax;
const IDS_MAX = 2000;

export class CliTurns {
  readonly #model: string;
  readonly #open: OpenCall[] = [];
  /** Tool calls that were seen, by id and signature: a resumed conversation may repeat its history. */
  readonly #seen = new Set<string>();
  #number = 0;
  /** The answer that is being read. Null: the last one is complete. */
  #answer: Answer | null = null;
  #ended: TurnStep[] = [];

  constructor(model: string | null) {
    this.#model = (model ?? '').slice(0, nameCharsMax);
  }

  /** Returns the turn that this event completes. */
  take(event: AgentEvent, session: string | null): TurnRecord | undefined {
    if (event.kind === 'said') {
      const answer = this.#current();
      const isSeparate = event.whole === true || answer.calls.length > 0;
      answer.text = `${answer.text}${isSeparate ? ' ' : ''}${event.text}`.slice(0, TEXT_READ_MAX);
    }
    if (event.kind === 'used-tool') {
      const call = { id: event.id, tool: event.tool, input: event.input };
      if (!this.#isNew(call)) return undefined;
      this.#current().calls.push(call);
      this.#open.push(call);
    }
    if (event.kind !== 'tool-result') return undefined;
    const turn = this.end(session);
    this.#endCall(event);
    return turn;
  }

  /** The turn that is not complete when the agent ends. */
  end(session: string | null): TurnRecord | undefined {
    if (this.#answer === null) return undefined;
    const { text, calls, steps } = this.#answer;
    this.#answer = null;
    if (calls.length + steps.length === 0) return undefined; // a message alone says nothing about the work
    this.#number += 1;
    return {
      conversation: (session ?? 'main').slice(0, nameCharsMax),
      kind: 'main',
      number: this.#number,
      model: this.#model,
      steps,
      calls: calls.slice(0, itemsMax).map(turnCall),
      text: boundedLine(text, textCharsMax),
      contextTokens: null,
      contextTokensMax: null,
      outputTokens: null,
      stop: null,
    };
  }

  #current(): Answer {
    if (this.#answer !== null) return this.#answer;
    this.#answer = { text: '', calls: [], steps: this.#ended.slice(-itemsMax) };
    this.#ended = [];
    return this.#answer;
  }

  #endCall({ id, isError, output }: ToolResult): void {
    const found = id === null ? 0 : this.#open.findIndex((call) => call.id === id);
    const [call] = found < 0 ? [] : this.#open.splice(found, 1);
    if (call === undefined) return; // the result of a call that was counted before
    this.#ended.push(turnStep(call, { id: call.id ?? '', isError, output: output ?? null }));
  }

  #isNew({ id, tool, input }: OpenCall): boolean {
    if (id === null) return true;
    const key = `${id} ${turnCall({ tool, input }).signature}`;
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    const [oldest] = this.#seen;
    if (this.#seen.size > IDS_MAX && oldest !== undefined) this.#seen.delete(oldest);
    return true;
  }
}
