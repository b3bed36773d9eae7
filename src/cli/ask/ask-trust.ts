/** Asks the user whether to trust a project's own files, and shows what is in them. */
import { plural } from '../../base/text.ts';
import { readTrustState, TrustedProject } from '../../trust/trusted-project.ts';
import type { TrustState } from '../../trust/trusted-project.ts';
import { describeChanges } from '../../trust/describe-changes.ts';
import type { FolderChange } from '../../trust/describe-changes.ts';
import { toTrustedEntry } from '../../trust/project-folder.ts';
import { entryText } from '../../trust/text-of.ts';
import { readTrust, writeTrust } from '../../trust/trust-store.ts';
import { askQuestion } from './ask-question.ts';
import { Canceled } from './canceled.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { stateHome } from '../connect-owner.ts';

/** For every command that uses a project's settings. */
export const UNTRUSTED_OPTION = [
  '--untrusted',
  "ignore the project's .supervisor folder and use only your own settings",
  false,
] as const;

/** `ask`: false if a person must not be asked, even at a terminal. */
export type UntrustedOption = { readonly untrusted: boolean; readonly ask?: boolean };

const UNDONE = 'Nothing was trusted or started.';

/** The part of a request that says whether to ignore the project's files. */
export type TrustRequest = { readonly untrusted?: true };

/**
 * At a terminal, asks about files that are not trusted yet. Without a terminal it asks nothing, and the owner refuses.
 * The owner checks the files that it reads, whatever the answer is here.
 */
export async function askForTrust(
  context: CliContext,
  project: string,
  { untrusted, ask = true }: UntrustedOption,
): Promise<TrustRequest> {
  const home = stateHome(context).dir;
  const state = await readTrustState({ home, project });
  if (state.kind === 'none') return {};
  if (untrusted) return ignoreProjectFiles(context, state.project);
  if (state.kind === 'trusted') return {};
  // To trust files that can't be used would only lead to the next refusal. Only this question needs the code that reads them.
  const { checkBeforeTrust } = await import('./check-before-trust.ts');
  await checkBeforeTrust(context, state.project, state.folder);
  if (!ask || !canAsk(context)) return {};
  await showTrustState(context, state);
  switch (await question(context)) {
    case 'trust':
      await writeTrust(home, state.project, state.folder, context.clock.now());
      return {};
    case 'own':
      return ignoreProjectFiles(context, state.project);
    case 'cancel':
      throw new Canceled(UNDONE);
  }
}

/** The same, for a command that reads the files itself. */
export async function openTrusted(
  context: CliContext,
  project: string,
  options: UntrustedOption,
): Promise<TrustedProject> {
  const trust = await askForTrust(context, project, options);
  return TrustedProject.open({ home: stateHome(context).dir, project, ...trust });
}

export function canAsk(context: CliContext): boolean {
  return context.terminal.isTty && process.stdin.isTTY && context.env['CI'] === undefined;
}

function ignoreProjectFiles(context: CliContext, project: string): TrustRequest {
  const text = `Ignoring ${printable(project)}/.supervisor. Only your own settings apply.`;
  context.err(`${paint(context, 'yellow', 'untrusted:')} ${text}\n`);
  return { untrusted: true };
}

type ReadableState = Extract<TrustState, { readonly kind: 'trusted' | 'new' | 'changed' }>;

const TEXT_BYTES_MAX = 256_000;
const LINES_MAX = 400;
const LINE_CHARS_MAX = 300;
/** Longer than any indentation that a person writes in settings. */
const BLANKS = /[\p{Zs}\t\u2800\u3164]{17,}/gu;

/** What the user has to review: all files if nothing was trusted before, otherwise the changes. */
export async function findChanges(
  context: CliContext,
  state: ReadableState,
): Promise<readonly FolderChange[]> {
  const before = await readTrust(stateHome(context).dir, state.project);
  const now = state.folder.entries.map((entry) => ({
    ...toTrustedEntry(entry),
    text: entryText(entry, TEXT_BYTES_MAX),
  }));
  return describeChanges(before?.entries ?? [], now);
}

export async function showTrustState(context: CliContext, state: ReadableState): Promise<void> {
  const changes = await findChanges(context, state);
  const status =
    state.kind === 'new'
      ? 'has project settings that you have not trusted yet'
      : 'has project settings that changed since you trusted them';
  context.err(`${printable(state.project)} ${status}:\n`);
  const marks = { added: ['green', '+'], changed: ['yellow', '~'], removed: ['red', '-'] } as const;
  for (const { path, what, note } of changes) {
    const [style, mark] = marks[what];
    const more = note === '' ? '' : paint(context, 'dim', ` (${printable(note)})`);
    context.err(`  ${paint(context, style, mark)} .supervisor/${oneLine(path)}${more}\n`);
  }
  let left = LINES_MAX;
  for (const { path, lines } of changes) {
    if (lines.length === 0) continue;
    context.err(`${paint(context, 'bold', `.supervisor/${oneLine(path)}`)}\n`);
    for (const line of lines.slice(0, left))
      context.err(`${coloured(context, line)}\n`, 'verbatim');
    if (lines.length > left)
      context.err(
        paint(context, 'dim', `… ${plural(lines.length - Math.max(left, 0), 'more line')}\n`),
      );
    left = Math.max(0, left - lines.length);
  }
  context.err(`${paint(context, 'dim', 'hash')} ${state.folder.hash}\n`);
}

/**
 * A file name or a line of a project must not look like our own output. Cut text is counted. A long run of
 * blanks is shown as a number, because it could push the rest of a line out of sight.
 */
export function oneLine(text: string): string {
  const line = printable(text)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll(BLANKS, (blanks) => ` [${plural(blanks.length, 'blank')}] `);
  const rest = line.length - LINE_CHARS_MAX;
  return rest <= 0 ? line : `${line.slice(0, LINE_CHARS_MAX)}… ${plural(rest, 'more character')}`;
}

function coloured(context: CliContext, line: string): string {
  const shown = oneLine(line);
  if (line.startsWith('+')) return paint(context, 'green', shown);
  if (line.startsWith('-')) return paint(context, 'red', shown);
  return line.startsWith('@@') ? paint(context, 'dim', shown) : shown;
}

function question(context: CliContext): Promise<'trust' | 'own' | 'cancel'> {
  return askQuestion(context, UNDONE, ({ select }, asking) =>
    select<'trust' | 'own' | 'cancel'>({
      ...asking,
      message: 'These files choose agents, commands, prompts and mounts. Use them?',
      initialValue: 'cancel',
      options: [
        { value: 'trust', label: 'Trust them as they are now' },
        { value: 'own', label: 'Ignore them and use only my own settings' },
        { value: 'cancel', label: 'Cancel' },
      ],
    }),
  );
}
