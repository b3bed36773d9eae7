/** A step as its files describe it, before its links are complete. */
import type { STEP_KINDS } from '../settings/workflow-file.ts';
import type { StepFile } from '../settings/workflow-file.ts';
import { quote } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';
import { entryAt, pathText, treeAt } from '../yaml/yaml-tree.ts';
import type { YamlPath, YamlTree } from '../yaml/yaml-tree.ts';

type StepKind = (typeof STEP_KINDS)[number];

export type StepDraft = {
  readonly id: string;
  readonly kind: StepKind;
  readonly file: StepFile;
  /** Where the step is in its files. Parts of a split review share it. */
  readonly path: YamlPath;
  readonly next: string | null;
  readonly onFail: string | null;
  readonly onReject: string | null;
};

/** Adds a problem at a path of the merged files. */
export type Report = (path: YamlPath, message: string, nearest?: string) => void;

export function reportInto(problems: Problem[], tree: YamlTree): Report {
  return (path, message, nearest) => {
    const key = pathText(path);
    const text = key === '' ? message : `${key}: ${message}`;
    const problem = { place: placeOf(tree, path), key, message: text, nearest };
    problems.push(problem);
  };
}

/** The place of the value, or of the nearest map that exists around it. */
function placeOf(tree: YamlTree, path: YamlPath): Problem['place'] {
  const found = treeAt(tree, path);
  if (found !== undefined && found.kind !== 'map') return found.place;
  for (let length = path.length; length > 0; length -= 1) {
    const parent = treeAt(tree, path.slice(0, length - 1));
    const entry = parent === undefined ? undefined : entryAt(parent, path[length - 1] ?? '');
    if (entry !== undefined) return entry.place;
  }
  return tree.place;
}

const COMMON =
  'kind type gate_type description next on_fail max_retries retry_policy timeout human_approval config position required terminal';

/** The keys that have an effect on each kind of step. */
const KEYS: Readonly<Record<StepKind, ReadonlySet<string>>> = {
  role: words(`${COMMON} role parallel gate on_reject outputs context_scope`),
  review: words(`${COMMON} roles role parallel agree gate on_reject`),
  gate: words(`${COMMON} gates command`),
  human: words('kind type description next on_fail on_reject config position required terminal'),
  command: words(`${COMMON} command allowed_writes outputs`),
  commit: words(`${COMMON} command pull_request outputs`),
};

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** Undefined if the files do not say what the step is. Every fault is reported. */
export function toDraft(id: string, file: StepFile, report: Report): StepDraft | undefined {
  const path = ['steps', id];
  const kind = findKind(id, file);
  if (kind === undefined) {
    report(path, 'says no role, roles, gates, command or kind, so it is unclear what it does');
    return undefined;
  }
  for (const key of Object.keys(file))
    if (file[key as keyof StepFile] !== undefined && !KEYS[kind].has(key))
      report([...path, key], `has no effect on a step of the kind ${kind}`);
  const lacking = findLack(kind, file);
  if (lacking !== undefined) report(path, lacking);
  if (file.terminal === true && file.next !== undefined)
    report([...path, 'next'], 'the step is terminal, so nothing comes after it');
  const links = {
    next: file.next ?? null,
    onFail: file.on_fail ?? null,
    onReject: file.on_reject ?? null,
  };
  return { id, kind, file, path, ...links };
}

function findKind(id: string, file: StepFile): StepKind | undefined {
  if (file.kind !== undefined) return file.kind;
  if (file.type === 'human_gate') return 'human';
  const command = file.command?.trim().split(/\s+/, 3).join(' ') ?? '';
  if (command.startsWith('git commit') || command === 'gh pr create') return 'commit';
  if (file.roles !== undefined) return 'review';
  if (file.role !== undefined) return 'role';
  if (file.gates !== undefined || file.command !== undefined) return 'gate';
  return isGate(file) && id === 'commit' ? 'commit' : undefined;
}

function isGate(file: StepFile): boolean {
  return file.type === 'orchestrator_gate' || file.gate_type === 'orchestrator';
}

/** What a step of this kind needs and does not have. */
function findLack(kind: StepKind, file: StepFile): string | undefined {
  switch (kind) {
    case 'role':
      if (file.role === undefined) return 'a step of the kind role needs a role';
      return file.parallel === true
        ? 'parallel needs roles: one role alone works by itself'
        : undefined;
    case 'review':
      if (file.roles === undefined || file.role !== undefined)
        return 'a step of the kind review needs roles, and no role';
      return file.roles.length === 0 ? 'the list of roles is empty: name who reviews' : undefined;
    case 'gate':
      if (file.gates !== undefined && file.command !== undefined)
        return 'has gates and a command: give one of them';
      if (file.command === undefined && (file.gates ?? []).length === 0)
        return 'names no gate: add gates, such as gates: [test], or a command';
      return undefined;
    case 'command':
      return file.command === undefined ? 'a step of the kind command needs a command' : undefined;
    case 'human':
    case 'commit':
      return undefined;
  }
}

const ALL_OF =
  /^(?:BOTH_(?:APPROVED|PASSED)|structured_json_only|(?:REVIEW_STATUS: ?APPROVED|SECURITY_STATUS: ?PASSED))$/;

/** Reports a text marker that only an agent's prose could contain. */
export function checkMarker({ file, path }: StepDraft, report: Report): void {
  if (file.gate === undefined || ALL_OF.test(file.gate.trim())) return;
  report(
    [...path, 'gate'],
    `${quote(file.gate)} is a text that an agent could simply print. A verdict is read from the answer: use BOTH_APPROVED, BOTH_PASSED or structured_json_only`,
  );
}
