/** The questions of `supervisor init` at a terminal. */
import type { Detected } from '../../roles/detect-project.ts';
import { fitLines } from '../../host/output/fit-lines.ts';
import { readTerminal } from '../../host/output/terminal.ts';
import { PACKS } from '../../roles/packs.ts';
import type { PackId } from '../../roles/packs.ts';
import { askQuestion } from '../ask/ask-question.ts';
import { Canceled } from '../ask/canceled.ts';
import type { CliContext } from '../cli-context.ts';
import { printable } from '../cli-context.ts';
import { loadPrompts } from '../input/load-prompts.ts';

export type InitAnswers = {
  readonly chain: readonly string[];
  readonly packs: readonly PackId[];
  /** Replace the configuration file that exists. */
  readonly replaces: boolean;
};

/** Whether there is a configuration file, and whether it has the proposed text already. */
export type ExistingConfig = 'none' | 'same' | 'other';

export type InitQuestions = {
  /** What would be written with this chain, or how it differs from the file that exists. */
  readonly change: (chain: readonly string[]) => string;
  readonly existing: ExistingConfig;
  readonly asksPacks: boolean;
};

/** What a question draws before each line. */
const MARGIN_CHARS = 3;

const UNDONE = 'Nothing was written.';

export async function askInit(
  context: CliContext,
  proposed: InitAnswers,
  { packs }: Detected,
  { change, existing, asksPacks }: InitQuestions,
): Promise<InitAnswers> {
  const { log } = await loadPrompts();
  let { chain, packs: chosen } = proposed;
  if (existing !== 'same' && chain.length > 1) {
    const options = chain.map((id) => ({ value: id, label: id }));
    const message = 'Which agent begins? The others take over from it, in this order.';
    const first = await askQuestion(context, UNDONE, ({ select }, asking) =>
      select({ ...asking, message, options }),
    );
    chain = [first, ...chain.filter((id) => id !== first)];
  }
  const { width } = readTerminal(process.stdout, process.env);
  log.message(fitLines(printable(change(chain)).trimEnd(), width - MARGIN_CHARS));
  const answer = existing === 'same' ? 'keep' : await askToWrite(context, existing);
  if (answer === 'cancel') throw new Canceled(UNDONE);
  // A second init has nothing new to say about roles.
  const fitting = PACKS.filter(({ id }) => packs.has(id));
  if (asksPacks && existing === 'none' && fitting.length > 0) {
    chosen = await askQuestion(context, UNDONE, ({ multiselect }, asking) =>
      multiselect<PackId>({
        ...asking,
        message: 'Add role packs? They are optional: press Enter for none.',
        required: false,
        options: fitting.map(({ id, title, roles }) => {
          const label = `${title} (${roles.join(', ')})`;
          return { value: id, label, hint: `fits: ${packs.get(id) ?? ''}` };
        }),
      }),
    );
  }
  return { chain, packs: chosen, replaces: existing !== 'none' && answer === 'write' };
}

function askToWrite(
  context: CliContext,
  existing: 'none' | 'other',
): Promise<'write' | 'keep' | 'cancel'> {
  return askQuestion(context, UNDONE, ({ select }, asking) =>
    select<'write' | 'keep' | 'cancel'>({
      ...asking,
      message:
        existing === 'other'
          ? '.supervisor/config.yaml exists. Replace it with this?'
          : 'Write this to .supervisor/config.yaml?',
      options:
        existing === 'other'
          ? [
              { value: 'keep', label: 'Keep the file as it is' },
              { value: 'write', label: 'Replace it' },
              { value: 'cancel', label: 'Cancel' },
            ]
          : [
              { value: 'write', label: 'Write it, and trust it' },
              { value: 'cancel', label: 'Cancel' },
            ],
    }),
  );
}
