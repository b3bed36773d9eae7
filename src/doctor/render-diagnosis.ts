import type { Terminal } from '../host/output/terminal.ts';
import type {
  Diagnosis,
  Finding,
  FindingSection,
  FindingState,
} from '../protocol/views/diagnosis.ts';

const HEADINGS: Readonly<Record<FindingSection, string>> = {
  runtime: 'Runtime',
  sandbox: 'Sandbox',
  agents: 'Agents',
  state: 'State',
};
const MARKS: Readonly<Record<FindingState, string>> = {
  ok: '✓',
  missing: '–',
  limited: '!',
  broken: '!',
};
const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;
const MARK_STYLES: Readonly<Record<FindingState, keyof typeof STYLES>> = {
  ok: 'green',
  missing: 'dim',
  limited: 'yellow',
  broken: 'red',
};
const INDENT = '  ';
const WIDTH_MIN = 40;

type Paint = (text: string, style: keyof typeof STYLES) => string;

/**
 * A diagnosis as text. On a terminal, a line has at most `width` columns. Only a command may be longer, so that it can
 * be copied. A program that reads the text finds each finding on one line.
 */
export function renderDiagnosis(
  diagnosis: Diagnosis,
  { isTty, width, colour }: Pick<Terminal, 'isTty' | 'width' | 'colour'>,
): string {
  const paint: Paint = (text, style) =>
    colour ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
  const columns = isTty ? Math.max(width, WIDTH_MIN) : Number.MAX_SAFE_INTEGER;
  const titleWidth = Math.max(...diagnosis.findings.map(({ title }) => title.length));
  const sections = Object.entries(HEADINGS).flatMap(([section, heading]) => {
    const findings = diagnosis.findings.filter((finding) => finding.section === section);
    if (findings.length === 0) return [];
    const lines = findings.flatMap((finding) => renderFinding(finding, titleWidth, columns, paint));
    return [[paint(heading, 'bold'), ...lines].join('\n')];
  });
  return `${[...sections, renderVerdict(diagnosis, columns, paint)].join('\n\n')}\n`;
}

function renderFinding(
  finding: Finding,
  titleWidth: number,
  columns: number,
  paint: Paint,
): readonly string[] {
  const { state, title, found, note } = finding;
  const hang = INDENT.length + 2 + titleWidth + 2;
  const parts = [found, note].flatMap((part) => (part === null ? [] : [visible(part)]));
  const text = parts.length === 0 ? 'not installed' : parts.join(' · ');
  const [first = '', ...rest] = wrap(text, columns - hang);
  return [
    `${INDENT}${paint(MARKS[state], MARK_STYLES[state])} ${title.padEnd(titleWidth)}  ${first}`,
    ...rest.map((line) => ' '.repeat(hang) + line),
    ...renderRemedy(finding, columns).map((line) => paint(line, 'dim')),
  ];
}

/** For a missing program: what it provides and how to install it. For a limited or broken one: how to fix it. */
function renderRemedy({ state, gives, get }: Finding, columns: number): readonly string[] {
  if (state === 'ok') return [];
  const indent = INDENT.repeat(2);
  const verb = state === 'missing' ? 'install' : 'fix';
  const benefit = state === 'missing' ? [`provides: ${gives}`] : [];
  const remedy = get === null ? [] : [`${verb}: ${get.join(' && ')}`];
  const oneLine = indent + [...benefit, ...remedy].join(' · ');
  if (oneLine.trim() === '') return [];
  if (oneLine.length <= columns) return [oneLine];
  return [...benefit.flatMap((text) => wrap(text, columns - indent.length)), ...remedy].map(
    (line) => indent + line,
  );
}

const ONLY_SCRIPTED =
  'No sandbox works here: only the scripted agent can run, in a project without setup and gates.';

function renderVerdict({ verdict }: Diagnosis, columns: number, paint: Paint): string {
  const { canRun, blockers, sandbox, ready, suggestion } = verdict;
  const able = canRun
    ? 'Supervisor can run here.'
    : `Supervisor cannot run here yet: ${blockers.join(', ')}.`;
  const contained = sandbox === null ? 'No sandbox works here.' : `Sandbox: ${sandbox}.`;
  const sentences = [
    ...(canRun && sandbox === null ? [ONLY_SCRIPTED] : [able, contained]),
    `Ready agents: ${ready.join(', ')}.`,
    ...(suggestion === null ? [] : [visible(suggestion.because)]),
  ];
  const lines = wrap(sentences.join(' '), columns);
  const next = suggestion === null ? [] : ['', INDENT + paint(suggestion.command, 'bold')];
  return [...lines, ...next].join('\n');
}

/** Wraps at spaces. A word that is longer than a line gets its own line. */
function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Names of programs and paths may contain characters that control a terminal or change the text direction. */
function visible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
