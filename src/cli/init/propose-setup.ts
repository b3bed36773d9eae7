/** At a terminal, offers the setup that a run lacks, before any agent starts. */
import { join } from 'node:path';
import { isRefusal } from '../../base/errors.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import type { RunRequest } from '../../protocol/api.ts';
import { askQuestion } from '../ask/ask-question.ts';
import { Canceled } from '../ask/canceled.ts';
import { canAsk } from '../ask/ask-trust.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { writeProjectFiles } from './project-files.ts';

/**
 * Sends a request. If the owner refuses it because its gates need a setup, asks, and sends it again with the answer.
 * Without a terminal the refusal stands: it has the lines to add.
 */
export async function sendWithSetup<Answer>(
  context: CliContext,
  request: RunRequest,
  send: (request: RunRequest) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await send(request);
  } catch (error) {
    if (!isRefusal(error, 'setup.missing') || !canAsk(context)) throw error;
    const { message, details = {} } = error.data;
    const lines = String(details['lines'] ?? '').split('\n');
    const text = await extendedConfig(request, lines);
    context.err(`${paint(context, 'yellow', 'setup:')} ${printable(message)}\n`);
    for (const line of lines) context.err(`  ${printable(line)}\n`);
    switch (await question(context, text !== undefined)) {
      case 'add':
        if (text !== undefined) await addToProject(context, request.project, text);
        return send(request);
      case 'without':
        return send({ ...request, withoutSetup: true });
      case 'cancel':
        throw new Canceled(UNDONE);
    }
  }
}

const UNDONE = 'Nothing was written or started.';
const CONFIG = 'config.yaml';
const CONFIG_BYTES_MAX = 256_000;

/** Undefined if the lines can't be added to the project's file, or the run does not read that file. */
async function extendedConfig(
  { project, untrusted }: RunRequest,
  lines: readonly string[],
): Promise<string | undefined> {
  if (untrusted === true) return undefined;
  const text = await readTextFile(join(project, '.supervisor', CONFIG), CONFIG_BYTES_MAX);
  const { appendSetting } = await import('../../config/append-setting.ts');
  const comment = '# Builds the dependencies in a fresh copy of this project.';
  return appendSetting(text ?? 'version: 1\n', 'setup', [comment, ...lines]);
}

async function addToProject(context: CliContext, project: string, text: string): Promise<void> {
  const file = { path: CONFIG, text, replaces: true };
  const { isTrusted } = await writeProjectFiles(context, project, [file]);
  const trusted = isTrusted ? ' You trust it as it is now.' : '';
  context.err(`The setup is in .supervisor/${CONFIG}.${trusted}\n`);
}

function question(context: CliContext, canAdd: boolean): Promise<'add' | 'without' | 'cancel'> {
  return askQuestion(context, UNDONE, ({ select }, asking) =>
    select<'add' | 'without' | 'cancel'>({
      ...asking,
      message: 'Use this setup?',
      options: [
        ...(canAdd
          ? [{ value: 'add' as const, label: 'Add it to .supervisor/config.yaml and run' }]
          : []),
        { value: 'without', label: 'Run without a setup' },
        { value: 'cancel', label: 'Cancel' },
      ],
    }),
  );
}
