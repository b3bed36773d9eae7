/** The values that a step offers to later steps, and the references to them. */
import { answerJsonSchema } from '../protocol/answer.ts';
import type { AnswerKind } from '../protocol/answer.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote } from '../yaml/problem.ts';
import { suggest } from '../yaml/schema-faults.ts';
import type { YamlPath } from '../yaml/yaml-tree.ts';
import type { Report, StepDraft } from './step-draft.ts';

/** By name, each with its path in the result. The empty path is the whole answer. */
export type Outputs = Readonly<Record<string, string>>;

const OF_COMMIT: Outputs = { pr_url: 'pullRequest', branch: 'branch', commit: 'commit' };

/** `answer` is what the role of the step answers with; null if no role does it. */
export function findOutputs(
  { kind, file, path }: StepDraft,
  answer: AnswerKind | null,
  report: Report,
): Outputs {
  const written = file.outputs ?? [];
  const at = [...path, 'outputs'];
  switch (kind) {
    case 'role': {
      const fields = fieldsOf(answer ?? 'generic');
      const pairs = isList(written)
        ? written.map((name) => [name, fields.includes(name) ? name : ''] as const)
        : Object.entries(written).map(([name, field]) => {
            const [first = ''] = field.split('.');
            if (!fields.includes(first)) reportField([...at, name], first, fields, report);
            return [name, field] as const;
          });
      return { summary: 'summary', ...Object.fromEntries(pairs) };
    }
    case 'commit':
      return pick(written, OF_COMMIT, at, report);
    case 'command':
      return pick(written, { output: 'output' }, at, report);
    case 'review':
    case 'gate':
    case 'human':
      return {};
  }
}

/** `Array.isArray` does not narrow a union with a record. */
function isList(written: readonly string[] | Outputs): written is readonly string[] {
  return Array.isArray(written);
}

function pick(
  written: readonly string[] | Outputs,
  known: Outputs,
  at: YamlPath,
  report: Report,
): Outputs {
  const names = isList(written) ? written : Object.keys(written);
  const pairs = names.map((name) => {
    if (!Object.hasOwn(known, name)) reportField(at, name, Object.keys(known), report);
    return [name, known[name] ?? ''] as const;
  });
  return Object.fromEntries(pairs);
}

function fieldsOf(kind: AnswerKind): readonly string[] {
  const { properties = {} } = answerJsonSchema(kind) as { properties?: object };
  return ['summary', ...Object.keys(properties)];
}

function reportField(path: YamlPath, name: string, known: readonly string[], report: Report): void {
  const meant = nearest(name, known);
  report(
    path,
    `no field is called ${quote(name)}${suggest(meant)}. Known: ${known.join(', ')}`,
    meant,
  );
}

/** Values that every workflow has. */
const BUILT_IN = ['task', 'task_id', 'branch', 'run_id', 'pr_title', 'pr_body'];
const REFERENCE = /\$\{([A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)?)\}/g;

/** Names in capitals are variables of the shell, unless they are built in. */
function referencesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)]
    .map(([, name = '']) => name)
    .map((name) => (BUILT_IN.includes(name.toLowerCase()) ? name.toLowerCase() : name))
    .filter((name) => /[a-z]/.test(name));
}

/** Reports each reference to a value that no step has, and each one where an agent's words could become code. */
export function checkReferences(
  drafts: readonly StepDraft[],
  outputs: ReadonlyMap<string, Outputs>,
  report: Report,
): void {
  const all = [...outputs].flatMap(([step, own]) =>
    Object.keys(own).flatMap((name) => [name, `${step}.${name}`]),
  );
  const known = [...new Set([...BUILT_IN, ...all])];
  for (const { kind, file, path } of drafts) {
    const command = [...path, 'command'];
    const names = kind === 'commit' ? [] : referencesIn(file.command ?? '');
    if (kind === 'gate' && names.length > 0) {
      const message = `\${${names[0]}} comes from an agent, and a check must not depend on what an agent says`;
      report(command, message);
    } else checkNames(names, known, command, report);
    for (const [key, value] of Object.entries(file.config ?? {}))
      if (typeof value === 'string')
        checkNames(referencesIn(value), known, [...path, 'config', key], report);
  }
}

function checkNames(
  names: readonly string[],
  known: readonly string[],
  path: YamlPath,
  report: Report,
): void {
  for (const name of names) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    report(path, `no step has the output ${quote(name)}${suggest(meant)}`, meant);
  }
}
