/** The answer of a planner as a feature file. The reader of such files judges it, as it judges one that a person wrote. */
import { isRefusal } from '../../base/errors.ts';
import { cutAtWord, oneLine, plural } from '../../base/text.ts';
import type { PlanAnswer } from '../../protocol/answer.ts';
import type { FeatureFile } from '../../settings/feature-file.ts';
import { parseFeature } from '../parse-feature.ts';
import { renderFeatureFile } from './render-feature-file.ts';

type PlannedPhase = PlanAnswer['phases'][number];
type PlannedComponent = PlannedPhase['components'][number];

export type AboutFeature = { readonly id: string; readonly task: string };

const TITLE_MAX = 100;

/** Its text, and what is wrong with it: one line for each fault, with file, line and reason. */
export type WrittenFeature = { readonly text: string; readonly faults: readonly string[] };

export function writeFeature(
  answer: PlanAnswer,
  about: AboutFeature,
  file: string,
): WrittenFeature {
  const text = renderFeatureFile(toFile(answer, about));
  return { text, faults: [...countFaults(answer), ...readFaults(text, file)] };
}

function countFaults({ phases, estimated_components: said }: PlanAnswer): readonly string[] {
  const count = phases.reduce((sum, { components }) => sum + components.length, 0);
  if (count === said) return [];
  return [`estimated_components: it says ${said}, and the plan has ${plural(count, 'component')}`];
}

function readFaults(text: string, file: string): readonly string[] {
  try {
    parseFeature(text, file);
    return [];
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error.message.split('\n');
  }
}

function toFile(answer: PlanAnswer, { id, task }: AboutFeature): FeatureFile {
  const { phases } = answer;
  return {
    id,
    title: cutAtWord(oneLine(task), TITLE_MAX),
    description: task.trim(),
    phases: phases.map((phase, nth) => ({
      id: toName(phase.id),
      title: cutAtWord(oneLine(phase.title), TITLE_MAX),
      ...interfacesOf(phase),
      components: phase.components.map((component) => ({
        id: toName(component.id),
        title: cutAtWord(oneLine(component.title), TITLE_MAX),
        task: taskOf(component, phase),
        files: component.files,
        ...dependsOn(neededBy(component, answer), phase, phases, nth),
      })),
    })),
  };
}

/** Names of a feature file have small letters, and a dot stands between phase and component. */
function toName(id: string): string {
  return id.toLowerCase().replaceAll('.', '-');
}

type PlannedInterface = PlannedPhase['interfaces'][number];

/** Those that have a form that can be checked become files. */
function interfacesOf({
  interfaces,
}: PlannedPhase): Pick<FeatureFile['phases'][number], 'interfaces'> {
  const files = interfaces.flatMap((one) => {
    const file = interfaceFile(one);
    return file === undefined ? [] : [{ file, definition: one.definition.trim() }];
  });
  return files.length === 0 ? {} : { interfaces: files };
}

const TYPES = /^(?:ts|types?|interface|typescript.*|class|enum)$/i;
const DECLARES = /^[ \t]*(?:export|declare|type|interface|import|enum|class)\b/m;

/** Undefined: it is told to the agents in words. */
function interfaceFile({ name, type, definition }: PlannedInterface): string | undefined {
  const isPath = /^[\w./-]+\.(?:d\.[cm]?ts|ya?ml|json)$/.test(name) && !name.includes('..');
  const plain = name
    .trim()
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .toLowerCase();
  if (/^[ \t]*"?(?:openapi|swagger)"?[ \t]*:/m.test(definition))
    return isPath ? name : `api/${plain}.yaml`;
  if (!DECLARES.test(definition)) return undefined;
  if (/\.d\.[cm]?ts$/.test(name) && isPath) return name;
  return TYPES.test(type.trim()) ? `types/${plain}.d.ts` : undefined;
}

/** Those who build side by side must know what they agreed on. */
function taskOf({ title }: PlannedComponent, { description, interfaces }: PlannedPhase): string {
  const told = interfaces.filter((one) => interfaceFile(one) === undefined);
  const agreed = told.map(
    ({ name, type, definition }) => `${name} (${type}):\n${definition.trim()}`,
  );
  return [
    title.trim(),
    ...(description === undefined ? [] : [`About this phase: ${description.trim()}`]),
    ...(agreed.length === 0 ? [] : ['The components of this phase agree on:', ...agreed]),
  ].join('\n\n');
}

function neededBy({ id, depends_on: own }: PlannedComponent, plan: PlanAnswer): readonly string[] {
  const phase = plan.phases.find(({ components }) => components.some((one) => one.id === id));
  const named = plan.dependencies.filter(({ from }) => from === id || from === phase?.id);
  return [...new Set([...own, ...named.map(({ to }) => to)])];
}

/** A phase stands for its components. One that comes before is waited for anyway. */
function dependsOn(
  needed: readonly string[],
  own: PlannedPhase,
  phases: readonly PlannedPhase[],
  nth: number,
): { readonly depends_on?: readonly string[] } {
  const found = needed.flatMap((id) => {
    const place = phases.findIndex((phase) => phase.id === id);
    const whole = phases[place];
    if (whole !== undefined)
      return place < nth ? [] : whole.components.map((one) => reference(whole, one.id, own));
    const phase = phases.find(({ components }) => components.some((one) => one.id === id));
    return [phase === undefined ? toName(id) : reference(phase, id, own)];
  });
  return found.length === 0 ? {} : { depends_on: [...new Set(found)] };
}

function reference({ id: phase }: PlannedPhase, id: string, own: PlannedPhase): string {
  return phase === own.id ? toName(id) : `${toName(phase)}.${toName(id)}`;
}
