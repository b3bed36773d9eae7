/** What the runs below a watched run ask. None of their events is shown, so their questions are told here, each once. */
import { describeError, isRefusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import { adviceToQuestion, questionWords } from '../../protocol/views/question-words.ts';
import { mayAskBelow } from '../../protocol/views/may-ask-below.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { withCommandsOnLines } from '../../reports/runs/run-summary.ts';

type BelowPorts = {
  /** A new question: as it is, and as lines with what to type. */
  readonly tell: (asked: OpenQuestion, lines: readonly string[]) => void;
  readonly changed: () => void;
  readonly printError: (text: string) => void;
};

/** All open questions, at first and after each change. If they can't be read, the command that shows the run continues. */
export async function* questionsToTell(
  client: Pick<Client, 'followQuestions'>,
  run: string,
  signal: AbortSignal,
  printError: (text: string) => void,
): AsyncGenerator<readonly OpenQuestion[], void> {
  try {
    yield* client.followQuestions(run, signal);
  } catch (error) {
    if (signal.aborted || isRefusal(error)) return; // the events of the run say what is wrong
    printError(`Could not show the questions of the runs below: ${describeError(error)}\n`);
  }
}

export class BelowQuestions {
  readonly #view: Pick<RunView, 'id' | 'program'>;
  readonly #ports: BelowPorts;
  readonly #told = new Set<string>();
  open: readonly OpenQuestion[] = [];

  constructor(view: Pick<RunView, 'id' | 'program'>, ports: BelowPorts) {
    this.#view = view;
    this.#ports = ports;
  }

  async show(client: Pick<Client, 'followQuestions'>, signal: AbortSignal): Promise<void> {
    const { id } = this.#view;
    if (!mayAskBelow(this.#view)) return;
    const { printError } = this.#ports;
    for await (const questions of questionsToTell(client, id, signal, printError)) {
      this.open = questions.filter(({ run }) => run !== id);
      for (const one of this.open) this.#tell(one);
      this.#ports.changed();
    }
  }

  #tell(asked: OpenQuestion): void {
    const id = `${asked.run}/${asked.key}`;
    if (this.#told.has(id)) return;
    this.#told.add(id);
    const words = [questionWords(this.#view.id, asked), adviceToQuestion(asked)];
    this.#ports.tell(asked, withCommandsOnLines(words.join('\n')).split('\n'));
  }
}
