/** `supervisor capsule`: one file about one run, to keep or to send. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isRefusal, Refusal } from '../../../base/errors.ts';
import type { Json } from '../../../base/json.ts';
import type { CapsuleContent, CapsuleFact } from '../../../capsule/capsule.ts';
import { sealCapsule } from '../../../capsule/capsule.ts';
import { capsuleContent } from '../../../capsule/collect-content.ts';
import { readCapsule } from '../../../capsule/read-capsule.ts';
import { renderCapsule } from '../../../capsule/render-capsule.ts';
import type { WorkDiff } from '../../../protocol/api.ts';
import type { Client } from '../../../client/client.ts';
import { readSmallFile } from '../../../host/files/read-text-file.ts';
import { capsuleDocument } from '../../../public-json/capsule-document.ts';
import { findSecretsIn } from '../../../redaction/find-secrets.ts';
import { redactValue } from '../../../redaction/redact-value.ts';
import { Redactor } from '../../../redaction/redactor.ts';
import type { CliContext } from '../../cli-context.ts';
import { printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { eventText } from '../../format/event-line.ts';
import { printJson } from '../../json/print-json.ts';
import { LAST_RUN, RUN_ARGUMENT, findRun } from '../../runs/find-runs.ts';

type Options = { readonly out?: string; readonly json: boolean };
const PAGE = 500;
/** Supervisor writes no file that is larger. */
const FILE_BYTES_MAX = 100_000_000;

export function addCapsule(program: Command, context: CliContext, finish: CommandEnding): void {
  const capsule = program
    .command('capsule')
    .description('Write everything about a run into one HTML file that opens offline')
    .argument('[run]', RUN_ARGUMENT, LAST_RUN)
    .option('-o, --out <file>', 'the file to write; the default is capsule-RUN.html here')
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (reference: string, { out: output, json }: Options) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      const run = await findRun(context, client, reference);
      const content = await withoutSecrets(context, await collect(context, client, run));
      const data = sealCapsule(content);
      const path = resolve(context.cwd, output ?? `capsule-${run}.html`);
      const html = renderCapsule(data, eventText);
      await writeNew(path, html);
      const made = { file: path, run, root: data.root, facts: content.events.length, problems: [] };
      if (json) printJson(context, capsuleDocument(made));
      else
        context.out(
          `Wrote ${printable(path)}. Check it with: supervisor capsule verify ${printable(path)}\n`,
        );
      finish(EXIT.ok);
    });
  capsule
    .command('verify')
    .description('Check that a capsule is as it was written: its facts, its hashes and its text')
    .argument('<file>', 'the file')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExample:\n  supervisor capsule verify capsule-0123456789.html')
    .action(async (file: string, _: unknown, command: Command) => {
      // The command above has the same option, and takes it first.
      const json = [command, capsule].some((one) => one.opts<Options>().json);
      finish(await verify(context, file, json));
    });
}

const HELP = `
The file has the facts of the run, its story, timeline, gates, calls and diff. Secrets are removed, and nothing in it can
run. Its hashes show whether it was changed by mistake or in part. They do not prove who wrote it.

Examples:
  supervisor capsule last -o night.html
  supervisor capsule verify night.html`;

async function collect(context: CliContext, client: Client, run: string): Promise<CapsuleContent> {
  const [row, why, diff] = await Promise.all([
    client.statusOf(run),
    client.why(run),
    readDiff(client, run),
  ]);
  const events: CapsuleFact[] = [];
  for (;;) {
    const page = await client.events({ run, after: events.at(-1)?.seq ?? 0, limit: PAGE });
    events.push(...(page as unknown as readonly CapsuleFact[]));
    if (page.length < PAGE) break;
  }
  return capsuleContent({
    row,
    why,
    events,
    diff,
    version: context.version,
    now: context.clock.now(),
  });
}

/** A run without work, or whose work is gone, has no diff. */
async function readDiff(client: Client, run: string): Promise<WorkDiff | null> {
  try {
    return await client.diff(run);
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** The journal has none already. This also removes those of the shell that writes the file. */
async function withoutSecrets(
  { env }: CliContext,
  content: CapsuleContent,
): Promise<CapsuleContent> {
  const redactor = new Redactor(findSecretsIn(env));
  return (await redactValue(redactor, content as unknown as Json)) as unknown as CapsuleContent;
}

async function writeNew(path: string, html: string): Promise<void> {
  try {
    await writeFile(path, html, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Refusal({
      code: 'usage.invalid',
      message: `${path} exists already.`,
      hint: 'Name another file with -o, or delete this one first.',
    });
  }
}

async function verify(context: CliContext, named: string, json: boolean): Promise<number> {
  const path = resolve(context.cwd, named);
  const file = await readSmallFile(path, FILE_BYTES_MAX);
  if (file.kind === 'absent' || (file.kind === 'unreadable' && file.code !== 'EFBIG'))
    throw new Refusal({
      code: 'usage.invalid',
      message: `${path} can't be read (${file.kind === 'absent' ? 'ENOENT' : file.code}).`,
      hint: 'Name the file of a capsule: supervisor capsule verify FILE',
    });
  const check =
    file.kind === 'text' ? readCapsule(file.text, context.version, eventText) : undefined;
  if (check === undefined || check.kind === 'no-capsule')
    throw new Refusal({
      code: 'usage.invalid',
      message: `${path} is not a capsule, or its data is damaged.`,
      hint: 'Write one with: supervisor capsule RUN',
    });
  const { data, problems, isOtherVersion } = check;
  const { run, events, version } = data.content;
  if (json)
    printJson(
      context,
      capsuleDocument({ file: path, run, root: data.root, facts: events.length, problems }),
    );
  else {
    for (const problem of problems) context.out(`${printable(problem)}\n`);
    const other = isOtherVersion
      ? ` Version ${printable(version)} wrote it, so its text was not compared with its facts.`
      : '';
    if (problems.length === 0)
      context.out(`Run ${printable(run)}: all ${events.length} facts have their hashes.${other}\n`);
  }
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
}
