/** The command that prints JSON Schemas: of the files that people write, and of the JSON that commands print. */
import type { Command } from 'commander';
import { Refusal } from '../../../base/errors.ts';
import type { DocumentName } from '../../../public-json/documents.ts';
import {
  DOCUMENT_NAMES,
  describeDocument,
  documentJsonSchema,
} from '../../../public-json/documents.ts';
import {
  configJsonSchema,
  featureJsonSchema,
  graphJsonSchema,
  packJsonSchema,
  roleJsonSchema,
  strategyJsonSchema,
  workflowJsonSchema,
} from '../../../settings/file-schemas.ts';
import { nearest } from '../../../yaml/nearest.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { EXIT } from '../../exit-codes.ts';
import type { JsonDocument } from '../../../public-json/documents.ts';
import { printJson } from '../../json/print-json.ts';

type JsonSchema = Readonly<Record<string, unknown>>;
type Entry = { readonly description: string; readonly schema: () => JsonSchema };

const FILES: readonly [name: string, entry: Entry][] = [
  ['config', { description: 'The file config.yaml.', schema: configJsonSchema }],
  ['role', { description: 'The file of a role.', schema: roleJsonSchema }],
  ['strategy', { description: 'The file of a context strategy.', schema: strategyJsonSchema }],
  ['workflow', { description: 'The file of a workflow.', schema: workflowJsonSchema }],
  ['feature-file', { description: 'The file of a feature.', schema: featureJsonSchema }],
  ['graph-file', { description: 'The file of a graph.', schema: graphJsonSchema }],
  ['pack', { description: 'The file pack.yaml of a pack of roles.', schema: packJsonSchema }],
];

const ENTRIES: ReadonlyMap<string, Entry> = new Map([
  ...FILES,
  ...DOCUMENT_NAMES.map((name: DocumentName): [string, Entry] => [
    name,
    { description: describeDocument(name), schema: () => documentJsonSchema(name) },
  ]),
]);

export function addSchema(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('schema')
    .description('Print the JSON Schema of a file that you write, or of what a command prints')
    .argument('[name]', 'what it describes; without it, list the names')
    .option('--json', 'print it on one line, as a script reads it', false)
    .addHelpText('after', HELP)
    .action((name: string | undefined, { json }: { readonly json: boolean }) => {
      if (name !== undefined)
        context.out(`${JSON.stringify(find(name).schema(), null, json ? 0 : 2)}\n`, 'verbatim');
      else if (json) printJson(context, namesDocument());
      else context.out(listNames(context));
      finish(EXIT.ok);
    });
}

const HELP = `
Every command with --json prints documents of these kinds, and each document names its schema: "supervisor.status/1".
What is printed is a JSON Schema, so it has no field "schema" itself. With --json it is on one line.

Examples:
  supervisor schema
  supervisor schema run-result
  supervisor schema config > config.schema.json`;

function find(name: string): Entry {
  const found = ENTRIES.get(name);
  if (found !== undefined) return found;
  const close = nearest(name, [...ENTRIES.keys()]);
  throw new Refusal({
    code: 'usage.invalid',
    message: `There is no schema ${JSON.stringify(name)}.`,
    hint:
      close === undefined
        ? 'List the names with: supervisor schema'
        : `Did you mean ${close}? List all names with: supervisor schema`,
  });
}

function listNames(context: CliContext): string {
  const width = Math.max(...[...ENTRIES.keys()].map(({ length }) => length));
  return [...ENTRIES]
    .map(
      ([name, { description }]) =>
        `${paint(context, 'cyan', name.padEnd(width))}  ${description}\n`,
    )
    .join('');
}

function namesDocument(): JsonDocument<'schemas'> {
  const schemas = [...ENTRIES].map(([name, { description }]) => ({ name, description }));
  return { schema: 'supervisor.schemas/1', schemas };
}
