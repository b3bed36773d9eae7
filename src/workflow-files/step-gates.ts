/** The gates of each step: those of the project that it names, or its own command. */
import { shellSyntax, shellWords } from '../base/shell-words.ts';
import type { PinnedGate } from '../protocol/pinned-settings.ts';
import { orderGates } from '../settings/gate-order.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote } from '../yaml/problem.ts';
import { suggest } from '../yaml/schema-faults.ts';
import type { YamlPath } from '../yaml/yaml-tree.ts';
import { GATE_KINDS, resolveGates } from './resolve-gates.ts';
import type { Report, StepDraft } from './step-draft.ts';

export type StepGates = {
  /** By step. */
  readonly gates: ReadonlyMap<string, readonly PinnedGate[]>;
  /** Steps whose gates the project does not have. They are left out. */
  readonly absent: ReadonlySet<string>;
  /** What differs from what the files say, in sentences. */
  readonly notes: readonly string[];
};

const GATE_MS_DEFAULT = 600_000;

export function findStepGates(
  drafts: readonly StepDraft[],
  projectGates: readonly PinnedGate[],
  report: Report,
): StepGates {
  const gates = new Map<string, readonly PinnedGate[]>();
  const absent = new Set<string>();
  const notes: string[] = [];
  for (const { id, kind, file, path } of drafts) {
    if (kind !== 'gate') continue;
    if (file.command !== undefined) {
      const command = toCommand(file.command, [...path, 'command'], report);
      gates.set(id, [{ name: id, command, timeoutMs: file.timeout ?? GATE_MS_DEFAULT }]);
      continue;
    }
    const found = findGates(file.gates ?? [], projectGates, [...path, 'gates'], report);
    gates.set(id, found.gates);
    for (const [name, used] of found.instead)
      notes.push(`${id}: this project has no gate for ${name}, so it runs ${used}.`);
    if (found.gates.length > 0) {
      for (const name of found.missing) notes.push(`${id}: this project has no gate for ${name}.`);
      continue;
    }
    if (found.missing.length === 0) continue;
    const what = found.missing.join(', ');
    if (file.required === true)
      report(
        [...path, 'gates'],
        `this project has no gate for ${what}, and the step is required. ${addLines(found.missing)}`,
      );
    else {
      absent.add(id);
      notes.push(
        `${id} is left out: this project has no gate for ${what}. ${addLines(found.missing)}`,
      );
    }
  }
  return { gates, absent, notes };
}

/** The lines that give a project the gates that it lacks. */
export function addLines(names: readonly string[]): string {
  const lines = names.map((name) => `{ name: ${name}, command: [make, ${name}] }`).join(', ');
  return `To add one, write in .supervisor/config.yaml, with your own command: gates: [${lines}]`;
}

/** A plain command line runs without a shell, so that more of its definition can be protected. */
export function toCommand(line: string, path: YamlPath, report: Report): readonly string[] {
  const text = line.trim();
  const words = shellWords(text);
  if (words === undefined || words.length === 0) {
    report(path, 'a quote is not closed, or a backslash is at the end');
    return ['false'];
  }
  return shellSyntax(text) === undefined && !/[*?[\n]/.test(text) ? words : ['sh', '-c', text];
}

export type GatesByName = {
  readonly gates: readonly PinnedGate[];
  /** Kinds that the project has no gate for. */
  readonly missing: readonly string[];
  /** Kinds that other gates of the project stand in for. */
  readonly instead: readonly (readonly [name: string, used: string])[];
};

/** Gates by name or by what they check. Each gate appears once, after those of the step that it depends on. */
export function findGates(
  names: readonly string[],
  projectGates: readonly PinnedGate[],
  path: YamlPath,
  report: Report,
): GatesByName {
  const gates: PinnedGate[] = [];
  const missing: string[] = [];
  const instead: (readonly [string, string])[] = [];
  for (const [index, name] of names.entries()) {
    const found = resolveGates(name, projectGates);
    if (found === undefined) {
      const known = [...projectGates.map((gate) => gate.name), ...GATE_KINDS];
      const meant = nearest(name, known);
      report([...path, index], `no gate is called ${quote(name)}${suggest(meant)}`, meant);
      continue;
    }
    if (names.indexOf(name) !== index) report([...path, index], `${quote(name)} is given twice`);
    if (found.gates.length === 0) missing.push(name);
    if (found.instead !== undefined) instead.push([name, found.instead]);
    gates.push(...found.gates.filter((gate) => !gates.includes(gate)));
  }
  return { gates: orderGates(gates), missing, instead };
}
