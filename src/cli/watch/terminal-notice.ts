/**
 * Calls the person at the terminal by its bell and its title, when a run that is watched needs a person. Only a terminal
 * gets these characters: nothing is written if the output is piped, or with `TERM=dumb`.
 */
import { isRefusal } from '../../base/errors.ts';
import { plural } from '../../base/text.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import type { NotifiedEvent } from '../../settings/notification-config.ts';
import type { CliContext } from '../cli-context.ts';
import { ownSettings } from '../input/own-settings.ts';

const BELL = '\u0007';
/** A terminal that keeps no titles ignores both. */
const SAVE_TITLE = '\u001B[22;0t';
const RESTORE_TITLE = '\u001B[23;0t';

type AskedQuestion = Pick<OpenQuestion, 'run' | 'key' | 'approval'>;

type Call = {
  readonly rings: boolean;
  /** Null: nothing is asked. */
  readonly title: string | null;
  /** The questions that the bell has called for. */
  readonly called: ReadonlySet<string>;
};

/** The bell rings once for each question. The title stays as long as one is open. */
export function decideCall(
  called: ReadonlySet<string>,
  questions: readonly AskedQuestion[],
  events: readonly NotifiedEvent[],
): Call {
  const wanted = questions.filter(({ approval }) =>
    events.includes(approval === undefined ? 'asks' : 'approval'),
  );
  const ids = wanted.map(({ run, key }) => `${run}/${key}`);
  const runs = new Set(wanted.map(({ run }) => run));
  const [first] = runs;
  const title =
    first === undefined
      ? null
      : runs.size === 1
        ? `supervisor: run ${first} needs you`
        : `supervisor: ${plural(runs.size, 'run needs', 'runs need')} you`;
  return { rings: ids.some((id) => !called.has(id)), title, called: new Set(ids) };
}

export class TerminalNotice implements Disposable {
  readonly #write: (text: string) => void;
  readonly #events: readonly NotifiedEvent[];
  #called: ReadonlySet<string> = new Set();
  #title: string | null = null;

  constructor(write: (text: string) => void, events: readonly NotifiedEvent[]) {
    this.#write = write;
    this.#events = events;
  }

  /** `questions` are all that are open now. */
  show(questions: readonly AskedQuestion[]): void {
    const { rings, title, called } = decideCall(this.#called, questions, this.#events);
    this.#called = called;
    this.#setTitle(title);
    if (rings) this.#write(BELL);
  }

  ended(): void {
    if (this.#events.includes('ended')) this.#write(BELL);
  }

  [Symbol.dispose](): void {
    this.#setTitle(null);
  }

  #setTitle(title: string | null): void {
    if (title === this.#title) return;
    if (this.#title === null) this.#write(SAVE_TITLE);
    this.#write(title === null ? RESTORE_TITLE : `\u001B]0;${title}${BELL}`);
    this.#title = title;
  }
}

/** `isWanted`: text for a person is shown. The events are those of the user's own settings. */
export async function openTerminalNotice(
  context: CliContext,
  isWanted: boolean,
): Promise<TerminalNotice> {
  const { terminal, env, out } = context;
  const isScreen = isWanted && terminal.isTty && env['TERM'] !== 'dumb';
  const events = isScreen ? await terminalEvents(context) : [];
  return new TerminalNotice((text) => out(text, 'verbatim'), events);
}

async function terminalEvents(context: CliContext): Promise<readonly NotifiedEvent[]> {
  try {
    return (await ownSettings(context)).notifications.terminal;
  } catch (error) {
    if (isRefusal(error)) return []; // the owner reports what is wrong with the file
    throw error;
  }
}
