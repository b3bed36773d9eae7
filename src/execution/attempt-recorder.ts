/** Reads the output of an agent while it arrives: transcript, answer, notes, last lines and activity. */
import type { AgentEvent } from '../adapters/agent-event.ts';
import { foldAnswer, NO_ANSWER } from '../adapters/final-answer.ts';
import { EMPTY_TRANSCRIPT, foldTranscript } from '../adapters/transcript.ts';
import type { AttemptStream } from '../attempts/output-name.ts';
import { foldTurnNotes } from '../attempts/turn-notes.ts';
import { SESSION_CHARS_MAX } from '../failures/attempt-facts.ts';
import { isStackLine } from '../failures/rules/error-lines.ts';
import type { Line } from '../host/output/line-reader.ts';
import { LineReader } from '../host/output/line-reader.ts';
import type { TurnRecord } from '../protocol/turn.ts';
import type { AttemptRun } from './attempt-run.ts';
import type { PreparedAttempt } from './prepare-attempt.ts';
import { observedActivity } from './report-activity.ts';
import { CliTurns } from './turns/cli-turns.ts';

const TAIL_LINES_MAX = 50;

export class AttemptRecorder {
  readonly #attempt: PreparedAttempt;
  readonly #chosenSession: string | null;
  /** Only a brief and a long-lived agent need the whole last message. */
  readonly #readsAnswer: boolean;
  readonly #lines = { stdout: new LineReader(), stderr: new LineReader() };
  readonly #tail: Readonly<Record<AttemptStream, string[]>> = { stdout: [], stderr: [] };
  /** Null: the gateway reports the turns. */
  readonly #turns: CliTurns | null;
  #transcript = EMPTY_TRANSCRIPT;
  #answer = NO_ANSWER;
  #notes: readonly string[] = [];

  /** `chosenSession` is the name that the agent was given for its conversation. */
  constructor(attempt: PreparedAttempt, chosenSession: string | null) {
    this.#attempt = attempt;
    this.#chosenSession = chosenSession;
    const { agent, gateway } = attempt.environment.agentBrief;
    this.#turns = gateway === null ? new CliTurns(agent.model ?? null) : null;
    this.#readsAnswer = attempt.input.brief !== undefined || attempt.input.readsNotes === true;
  }

  read(stream: AttemptStream, bytes: Uint8Array): void {
    this.#readLines(stream, this.#lines[stream].push(bytes));
  }

  /** Call it after the last bytes: the last line may have no line break. */
  end(): Pick<AttemptRun, 'transcript' | 'tail' | 'answer' | 'notes'> {
    for (const stream of ['stdout', 'stderr'] as const)
      this.#readLines(stream, this.#lines[stream].end());
    this.#noteTurn(this.#turns?.end(this.#transcript.session));
    return {
      transcript: this.#transcript,
      tail: this.#tail,
      answer: this.#answer.text,
      notes: this.#notes,
    };
  }

  #readLines(stream: AttemptStream, lines: readonly Line[]): void {
    for (const { text } of lines) {
      const events = this.#attempt.adapter.read(text, stream);
      const { session } = this.#transcript;
      this.#foldTranscript(events);
      if (this.#readsAnswer) for (const event of events) this.#foldAnswer(event);
      for (const event of events) this.#reportActivity(event);
      for (const event of events)
        this.#noteTurn(this.#turns?.take(event, this.#transcript.session));
      if (this.#transcript.session !== session) this.#noteSession();
      if (events.every(({ kind }) => kind === 'noise')) this.#addToTail(stream, text);
    }
  }

  #foldTranscript(events: readonly AgentEvent[]): void {
    this.#transcript = events.reduce(foldTranscript, this.#transcript);
    // The first event proves that the agent has started the conversation under the chosen name.
    if (this.#transcript.session === null && this.#transcript.events > 0)
      this.#transcript = { ...this.#transcript, session: this.#chosenSession };
  }

  /** Recorded at once, so that the next attempt can continue the conversation if the owner dies. */
  #noteSession(): void {
    const session = this.#transcript.session?.slice(0, SESSION_CHARS_MAX);
    if (session !== undefined) void this.#attempt.context.note({ kind: 'session', session });
  }

  #foldAnswer(event: AgentEvent): void {
    this.#notes = foldTurnNotes(this.#notes, this.#answer, event);
    this.#answer = foldAnswer(this.#answer, event);
  }

  #reportActivity(event: AgentEvent): void {
    const { environment, reportActivity } = this.#attempt;
    const { tree, agentBrief } = environment;
    for (const activity of observedActivity(event, tree, agentBrief.workspace))
      reportActivity(activity);
  }

  #noteTurn(turn: TurnRecord | undefined): void {
    if (turn !== undefined) void this.#attempt.context.note({ kind: 'turn', turn });
  }

  #addToTail(stream: AttemptStream, text: string): void {
    if (isStackLine(text)) return;
    const tail = this.#tail[stream];
    tail.push(text);
    if (tail.length > TAIL_LINES_MAX) tail.shift();
  }
}
