/** Suggests dependencies of a feature from the imports of its files. A person decides about each of them. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { Refusal } from '../../../base/errors.ts';
import { plural } from '../../../base/text.ts';
import { parseFeature } from '../../../plan/parse-feature.ts';
import type { PlacedFeature } from '../../../plan/read-feature.ts';
import type { SuggestedEdge } from '../../../plan/suggest-edges.ts';
import { suggestEdges } from '../../../plan/suggest-edges.ts';
import type { Feature } from '../../../protocol/feature.ts';
import { allComponents } from '../../../protocol/feature.ts';
import type { JsonDocument } from '../../../public-json/documents.ts';
import type { ListAddition } from '../../../yaml/add-to-lists.ts';
import { askQuestion } from '../../ask/ask-question.ts';
import { canAsk } from '../../ask/ask-trust.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { EXIT } from '../../exit-codes.ts';
import { PROJECT_OPTION, projectDir } from '../../input/project-path.ts';
import { readFeatureText } from '../../input/read-feature-file.ts';
import { printJson } from '../../json/print-json.ts';

type Options = { readonly project?: string; readonly yes: boolean; readonly json: boolean };

/** `leave`: not now. `external`: never a dependency; the file says so. */
type Decision = 'add' | 'external' | 'leave';
type Decided = SuggestedEdge & { readonly decision: Decision };

const HELP = `
Supervisor reads the imports of the files that components own: TypeScript, JavaScript, Python, Go, Java, Rust, Ruby, C
and C++. If a component imports files of another one and does not wait for it, you choose: add the dependency, mark the
files as external, or leave it. Without a terminal, it only prints what it suggests.

Examples:
  supervisor analyze-deps invoices.yaml
  supervisor analyze-deps invoices.yaml --yes`;

export function addAnalyzeDeps(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('analyze-deps')
    .description('Suggest dependencies between the components of a feature, from their imports')
    .argument('<file>', 'the YAML file of a feature')
    .option(...PROJECT_OPTION)
    .option('-y, --yes', 'add everything that is suggested, without asking', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (file: string, options: Options) => {
      await analyze(context, file, options);
      finish(EXIT.ok);
    });
}

async function analyze(context: CliContext, file: string, options: Options): Promise<void> {
  const { yes, json } = options;
  const read = await readFeatureText(context.cwd, file);
  const { feature, external } = read;
  if (feature.isGraph === true) throw ofGraph(file);
  // The parsers are loaded only on use.
  const { findFeatureImports } = await import('../../input/find-feature-imports.ts');
  const found = await findFeatureImports(projectDir(context, options.project), feature);
  const suggested = suggestEdges(feature, found.imports, external);
  const asks = !yes && !json && canAsk(context);
  const decided: Decided[] = [];
  for (const edge of suggested) {
    const isOpen = edge.kind === 'new';
    const answer =
      isOpen && asks ? await ask(context, feature, edge) : isOpen && yes ? 'add' : 'leave';
    decided.push({ ...edge, decision: answer });
  }
  const additions = additionsOf(read, decided);
  if (additions.length > 0) {
    const { addToLists } = await import('../../../yaml/add-to-lists.ts');
    const changed = addToLists(read.text, additions);
    // What would be refused is not written.
    parseFeature(changed, file);
    await writeFile(resolve(context.cwd, file), changed);
  }
  if (json) printJson(context, toDocument(feature, file, found.files, decided));
  else context.out(formatEdges(context, feature, decided, { files: found.files, file }));
}

/** Its nodes may stand inside of others, where `after` knows only the names beside it. */
function ofGraph(file: string): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `${file} is a graph, and dependencies are suggested only for a feature with phases.`,
    hint: 'In a graph, name what a node waits for under after.',
    details: { file },
  });
}

function ask(context: CliContext, feature: Feature, edge: SuggestedEdge): Promise<Decision> {
  const [own, other] = namesOf(feature, edge);
  return askQuestion(context, 'The file is as it was.', ({ select }, asking) =>
    select<Decision>({
      ...asking,
      message: `${own} imports files of ${other}: ${importWords(edge)}`,
      initialValue: 'add',
      options: [
        { value: 'add', label: `${own} waits for ${other}` },
        { value: 'external', label: 'These files are external: it does not wait' },
        { value: 'leave', label: 'Leave it, and ask again next time' },
      ],
    }),
  );
}

function additionsOf(
  { feature, places }: Pick<PlacedFeature, 'feature' | 'places'>,
  decided: readonly Decided[],
): readonly ListAddition[] {
  return decided.flatMap((edge): readonly ListAddition[] => {
    const place = places.get(edge.component) ?? [];
    const [, needed] = namesOf(feature, edge);
    if (edge.decision === 'leave') return [];
    return edge.decision === 'add'
      ? [{ path: [...place, 'depends_on'], value: needed }]
      : edge.imports.map(({ to }) => ({ path: [...place, 'external'], value: to }));
  });
}

function namesOf(
  feature: Feature,
  { component, needs }: SuggestedEdge,
): readonly [own: string, other: string] {
  const names = new Map(allComponents(feature).map(({ id, name }) => [id, name]));
  return [names.get(component) ?? component, names.get(needs) ?? needs];
}

function importWords({ imports }: SuggestedEdge): string {
  const [first] = imports;
  const more = imports.length > 1 ? ` and ${imports.length - 1} more` : '';
  return `${printable(first?.from ?? '')} imports ${printable(first?.to ?? '')}${more}`;
}

function formatEdges(
  context: CliContext,
  feature: Feature,
  decided: readonly Decided[],
  { files, file }: { readonly files: number; readonly file: string },
): string {
  const lines = decided.flatMap((edge): readonly string[] => {
    const [own, other] = namesOf(feature, edge);
    const why = paint(context, 'dim', `(${importWords(edge)})`);
    if (edge.kind === 'known') return [];
    if (edge.kind === 'cycle')
      return [
        `${paint(context, 'yellow', '!')} ${own} imports ${other}, which waits for ${own}: one of them has to change ${why}`,
      ];
    const mark = { add: '+', external: '-', leave: '?' }[edge.decision];
    const words = { add: 'now waits for', external: 'does not wait for', leave: 'should wait for' };
    return [`${mark} ${own} ${words[edge.decision]} ${other} ${why}`];
  });
  const known = decided.filter(({ kind }) => kind === 'known').length;
  const isOpen = decided.some(({ kind, decision }) => kind === 'new' && decision === 'leave');
  return [
    `${plural(files, 'file')} of ${plural(allComponents(feature).length, 'component')} read; ${plural(known, 'import dependency', 'import dependencies')} known.`,
    ...(lines.length === 0 ? ['Nothing is missing.'] : lines),
    ...(isOpen ? [`To add what is suggested: supervisor analyze-deps ${file} --yes`] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function toDocument(
  feature: Feature,
  file: string,
  files: number,
  decided: readonly Decided[],
): JsonDocument<'dependencies'> {
  return {
    schema: 'supervisor.dependencies/1',
    ...{ feature: feature.id, file, files_read: files },
    dependencies: decided.map(({ component, needs, imports, kind, decision }) => ({
      ...{ component, depends_on: needs },
      state: kind === 'new' ? STATES[decision] : kind,
      imports: imports.map(({ from, to }) => ({ from, to })),
    })),
  };
}

const STATES = { add: 'added', external: 'external', leave: 'suggested' } as const;
