/** The people who may approve changes of high risk. Needs no owner: it only writes to the user's home. */
import type { Command } from 'commander';
import { formatDuration } from '../../../base/format-duration.ts';
import { formatTime } from '../../../base/format-time.ts';
import { Refusal } from '../../../base/errors.ts';
import { addApprover, listApprovers, removeApprover } from '../../../approvers/approver-store.ts';
import { lockedUntil, readGuesses } from '../../../approvers/secret-guesses.ts';
import { newSecret } from '../../../host/machine/secret-hash.ts';
import { ApproverName } from '../../../protocol/approver.ts';
import { approversDocument } from '../../../public-json/approval-documents.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { stateHome } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { joinCells, layOutTable } from '../../format/text-table.ts';
import { printJson } from '../../json/print-json.ts';

type AddOptions = {
  readonly group: readonly string[];
  readonly secretStdin: boolean;
  readonly replace: boolean;
  readonly json: boolean;
};

export function addApproverCommand(
  program: Command,
  context: CliContext,
  finish: CommandEnding,
): void {
  const approver = program
    .command('approver')
    .description('Manage the people who may approve changes of high risk')
    .addHelpText('after', HELP);
  approver
    .command('list', { isDefault: true })
    .description('List the approvers and their groups')
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => {
      const all = await listApprovers(stateHome(context).dir);
      const stateOf = await readSecretStates(context);
      if (json) printJson(context, approversDocument(all, stateOf));
      else context.out(table(context, all, stateOf));
      finish(EXIT.ok);
    });
  approver
    .command('add')
    .description('Add an approver, and print their new secret once')
    .argument('<name>', 'lowercase letters, digits, _ . and -, such as ada')
    .option('--group <name>', 'a group that they belong to; may be repeated', collect, [])
    .option('--secret-stdin', 'read their secret from standard input instead', false)
    .option('--replace', 'give an existing approver a new secret and these groups', false)
    .option('--json', 'print JSON', false)
    .action(async (name: string, options: AddOptions) => {
      finish(await add(context, name, options));
    });
  approver
    .command('remove')
    .description('Remove an approver')
    .argument('<name>', 'the name, as the list shows it')
    .option('--json', 'print the remaining approvers as JSON', false)
    .action(async (name: string, { json }: { json: boolean }) => {
      const home = stateHome(context).dir;
      await removeApprover(home, name);
      if (json)
        printJson(
          context,
          approversDocument(await listApprovers(home), await readSecretStates(context)),
        );
      else context.out(`${name} is no longer an approver.\n`);
      finish(EXIT.ok);
    });
}

const HELP = `
A change of high or critical risk waits for a named approver, who confirms with a secret. Only a hash of the secret is
stored. Give each secret to its person alone. A person who knows it can approve in
their name.

Examples:
  supervisor approver add ada --group security_team
  supervisor approver list
  supervisor approver remove ada`;

function collect(value: string, all: readonly string[]): readonly string[] {
  return [...all, value];
}

async function add(
  context: CliContext,
  name: string,
  { group, secretStdin, replace, json }: AddOptions,
): Promise<number> {
  for (const one of [name, ...group])
    if (!ApproverName.safeParse(one).success) throw invalidName(one);
  const given = secretStdin ? (await context.stdin()).trim() : undefined;
  const secret = given ?? newSecret();
  const entry = { name, groups: [...new Set(group)], secret };
  await addApprover(stateHome(context).dir, entry, context.clock.now(), replace);
  if (json) {
    const { groups } = entry;
    const shown = given === undefined ? secret : null;
    printJson(context, { schema: 'supervisor.approver/1', name, groups, secret: shown });
  } else if (given === undefined) {
    // The secret alone is on standard output, so that it can be piped into a password manager.
    context.err(`${name} can approve now. Their secret, which is shown only once:\n`);
    context.out(`${secret}\n`);
  } else context.err(`${name} can approve now, with the secret that you gave.\n`);
  return EXIT.ok;
}

function invalidName(name: string): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `${JSON.stringify(name)} is not a valid name.`,
    hint: 'Use lowercase letters, digits, _ . and -, and begin with a letter.',
  });
}

type SecretStates = Parameters<typeof approversDocument>[1];

async function readSecretStates(context: CliContext): Promise<SecretStates> {
  const all = await readGuesses(stateHome(context).dir);
  const now = context.clock.now();
  return (name) => {
    const guesses = Object.hasOwn(all, name) ? all[name] : undefined;
    return { wrong: guesses?.wrong ?? 0, lockedUntil: lockedUntil(guesses, now) };
  };
}

function describeSecrets(
  { wrong, lockedUntil: until }: ReturnType<SecretStates>,
  now: number,
): string {
  if (wrong === 0) return '';
  const lock = until === null ? '' : `, locked for ${formatDuration(until - now)}`;
  return `${wrong} in a row${lock}`;
}

function table(
  context: CliContext,
  all: Awaited<ReturnType<typeof listApprovers>>,
  stateOf: SecretStates,
): string {
  if (all.length === 0) return 'No approvers. Add one with: supervisor approver add NAME\n';
  const now = context.clock.now();
  const columns = [
    { title: 'name', least: 8 },
    { title: 'groups', least: 8 },
    { title: 'added' },
    { title: 'wrong secrets' },
  ];
  const rows = all.map(({ name, groups, addedAt }) => [
    name,
    groups.join(', '),
    formatTime(addedAt, now),
    describeSecrets(stateOf(name), now),
  ]);
  const { head, rows: lines } = layOutTable(context.terminal, columns, rows);
  return [paint(context, 'bold', joinCells(head)), ...lines.map(joinCells)]
    .map((line) => `${line}\n`)
    .join('');
}
