/** The text of a feature file, as a person would write it: plain where YAML allows it, quoted where it does not. */
import type { FeatureFile } from '../../settings/feature-file.ts';

export function renderFeatureFile({
  id,
  title,
  description,
  workflow,
  phases,
}: FeatureFile): string {
  return [
    ...line('', 'id', id),
    ...line('', 'title', title),
    ...line('', 'description', description),
    ...line('', 'workflow', workflow),
    'phases:',
    ...(phases.length === 0 ? ['  []'] : phases.flatMap(phaseLines)),
  ]
    .map((one) => `${one}\n`)
    .join('');
}

function phaseLines(phase: FeatureFile['phases'][number]): readonly string[] {
  const { id, title, sequence, gate, interfaces, components } = phase;
  return asItem('  ', [
    ...line('    ', 'id', id),
    ...line('    ', 'title', title),
    ...line('    ', 'sequence', sequence?.toString()),
    ...line('    ', 'gate', gate),
    ...(interfaces === undefined ? [] : ['    interfaces:', ...interfaces.flatMap(interfaceLines)]),
    '    components:',
    ...(components.length === 0 ? ['      []'] : components.flatMap(componentLines)),
  ]);
}

function interfaceLines({
  file,
  definition,
}: NonNullable<FeatureFile['phases'][number]['interfaces']>[number]): readonly string[] {
  const own = '        ';
  return asItem('      ', [...line(own, 'file', file), ...line(own, 'definition', definition)]);
}

function componentLines(
  component: FeatureFile['phases'][number]['components'][number],
): readonly string[] {
  const { id, title, task, files, touches, depends_on: needs, external, role, uses } = component;
  const own = '        ';
  return asItem('      ', [
    ...line(own, 'id', id),
    ...line(own, 'title', title),
    ...line(own, 'task', task),
    ...list(own, 'files', files),
    ...list(own, 'touches', touches),
    ...list(own, 'depends_on', needs),
    ...list(own, 'external', external),
    ...line(own, 'role', role),
    ...list(own, 'uses', uses),
  ]);
}

/** The first line gets the dash. */
function asItem(indent: string, lines: readonly string[]): readonly string[] {
  const [first = '', ...rest] = lines;
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

function list(
  indent: string,
  key: string,
  values: readonly string[] | undefined,
): readonly string[] {
  return values === undefined ? [] : [`${indent}${key}: [${values.map(scalar).join(', ')}]`];
}

function line(indent: string, key: string, value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  if (!isBlock(value)) return [`${indent}${key}: ${scalar(value)}`];
  const lines = value.split('\n').map((one) => (one === '' ? '' : `${indent}  ${one}`));
  return [`${indent}${key}: |-`, ...lines];
}

const PLAIN = /^[A-Za-z][A-Za-z0-9_/.-]*(?: [A-Za-z0-9_/.()'-]+)*$/;
/** Words that YAML reads as another value than a text. */
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

function scalar(text: string): string {
  return PLAIN.test(text) && !WORDS.test(text) ? text : JSON.stringify(text);
}

/** Several lines of printable text, which begin with a letter and end with one. */
function isBlock(text: string): boolean {
  return (
    text.includes('\n') && text.trim() === text && /^[\n\u0020-\u007e\u00a1-\ud7ff]*$/.test(text)
  );
}
