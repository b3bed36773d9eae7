/**
 * The branch of a feature lands without a person. So what runs by itself, settings and tests have a question of their own
 * before the branch is merged into the files of the person, as they have before an apply.
 */
import { Refusal } from '../../base/errors.ts';
import { shortList } from '../../base/text.ts';
import type { WorkDiff } from '../../protocol/api.ts';
import { FEATURE_PROGRAM } from '../../protocol/feature.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { confirmAtTerminal } from '../ask/confirm.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { approvalFlags } from '../format/approvals-header.ts';

type Included = {
  readonly includeExecuting: boolean;
  readonly includeSettings: boolean;
  readonly includeTests: boolean;
};
type Needs = WorkDiff['approvals'][number]['needs'];

const WORDS: Readonly<Record<Needs, string>> = {
  executing: 'files that run by themselves',
  settings: 'settings of Supervisor',
  tests: 'tests that were there before',
};
const NAMES_MAX = 5;

/** False: the person does not want it. */
export async function mayMerge(
  context: CliContext,
  { id, program }: Pick<RunView, 'id' | 'program'>,
  { approvals }: Pick<WorkDiff, 'approvals'>,
  options: Included & { readonly yes: boolean; readonly json: boolean },
): Promise<boolean> {
  if (program !== FEATURE_PROGRAM) return true;
  const { includeExecuting, includeSettings, includeTests, yes, json } = options;
  const included = { executing: includeExecuting, settings: includeSettings, tests: includeTests };
  const missing = approvals.filter(({ needs }) => !included[needs]);
  if (missing.length === 0) return true;
  const kinds = [...new Set(missing.map(({ needs }) => needs))].map((kind) => {
    const paths = missing.filter(({ needs }) => needs === kind).map(({ path }) => path);
    return `${WORDS[kind]} (${shortList(paths, NAMES_MAX)})`;
  });
  const message = `The branch changes ${kinds.join(' and ')}.`;
  const ask = json || yes ? undefined : confirmAtTerminal(context);
  if (ask === undefined)
    throw new Refusal({
      code: 'workspace.needs-approval',
      message: `${message} Nothing was merged.`,
      hint: `Review them with: supervisor diff ${id}. Merge them too with: supervisor complete-task ${id} --merge --yes${approvalFlags(approvals)}`,
    });
  context.err(`${paint(context, 'yellow', 'warning:')} ${printable(message)}\n`);
  return ask('Merge them too?', 'Nothing was merged.');
}
