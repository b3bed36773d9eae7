/** Schema of a feature file: phases in order, and the components of each. `src/plan/` checks what they mean together. */
import { z } from 'zod';
import type { JsonSchema } from './json-schema.ts';
import { roleName } from './role-file.ts';
import type { Immutable } from './schema-fields.ts';
import { insideProject, KEYS, matching, text, whole } from './schema-fields.ts';

const PHASES_MAX = 50;
/** Each is at least one child run, and the run of a feature can start `FEATURE_CHILDREN_MAX` of them. */
export const COMPONENTS_MAX = 1000;
const PROJECTS_MAX = 20;
const PATTERNS_MAX = 100;
/** A path without a pattern. */
const INTERFACE_NAME = /^[^*?{}[\]\\]+\.(?:d\.[cm]?ts|ya?ml|json)$/;
/** Of all components together: each is compared with each. */
export const ALL_PATTERNS_MAX = 5000;

export const componentName = matching(
  /^[a-z][a-z0-9_-]{0,63}$/,
  'a name of up to 64 lowercase letters, digits, _ and - that starts with a letter',
);
const reference = matching(
  /^(?:[a-z][a-z0-9_-]{0,63}\.)?[a-z][a-z0-9_-]{0,63}$/,
  'the name of a component, or phase.component for one of another phase',
);
const projectName = matching(
  /^[a-z][a-z0-9_-]{0,63}$/,
  'the name of a project: up to 64 lowercase letters, digits, _ and - that start with a letter',
);
const title = text(1, 200, 'text of 1 to 200 characters');
export const patterns = z
  .array(insideProject, { error: 'a list of paths or patterns inside the project' })
  .max(PATTERNS_MAX, { error: `a list of up to ${PATTERNS_MAX} paths or patterns` });

const INTERFACES_MAX = 20;
const interfacePath = insideProject.refine((path) => INTERFACE_NAME.test(path), {
  error: 'a path that ends with .d.ts, .yaml, .yml or .json',
});

const InterfaceFile = z.strictObject(
  {
    file: interfacePath.describe(
      'Where it will stand: types in .d.ts, an HTTP API in YAML or JSON.',
    ),
    definition: text(1, 20_000, 'text of 1 to 20000 characters').describe(
      'Its text. Supervisor writes it, checks it and locks it.',
    ),
  },
  KEYS,
);

const ComponentFile = z.strictObject(
  {
    id: componentName.describe('The name of the component, unique in its phase.'),
    title: title.optional().describe('One line about the component. Default: its id.'),
    task: text(1, 20_000, 'the task in plain words')
      .optional()
      .describe('What its agent has to do. Default: the title.'),
    files: patterns
      .min(1, { error: 'at least one path or pattern' })
      .describe('The files that belong to this component. No component beside it may own them.'),
    touches: patterns
      .optional()
      .describe('More files that it may change. Components that touch the same files take turns.'),
    depends_on: z
      .array(reference, { error: 'a list of components' })
      .max(COMPONENTS_MAX, { error: `a list of up to ${COMPONENTS_MAX} components` })
      .optional()
      .describe('The components that must be complete before it starts.'),
    external: patterns
      .optional()
      .describe('Files whose import makes no dependency: analyze-deps does not suggest them.'),
    role: roleName.optional().describe('The role that implements it.'),
    project: projectName
      .optional()
      .describe('The project that it changes. A file with projects needs it.'),
    uses: z
      .array(interfacePath, { error: 'a list of interface files' })
      .max(INTERFACES_MAX, { error: `a list of up to ${INTERFACES_MAX} interface files` })
      .optional()
      .describe(
        'The interface files that it builds on. Default: those of its phase. It starts again if one of them gets a new version.',
      ),
  },
  KEYS,
);

const PhaseFile = z.strictObject(
  {
    id: componentName.describe('The name of the phase.'),
    title: title.optional().describe('One line about the phase. Default: its id.'),
    sequence: whole(1, 1000)
      .optional()
      .describe('Its place in the order. Default: the order of the file.'),
    gate: z
      .enum(['all-complete', 'interfaces-locked'], {
        error: 'all-complete or interfaces-locked',
      })
      .optional()
      .describe(
        'all-complete: it waits for all components of the phases before it. interfaces-locked: only for their interfaces, and for what its own components name. Default: all-complete.',
      ),
    interfaces: z
      .array(InterfaceFile, { error: 'a list of interfaces' })
      .min(1, { error: 'at least one interface' })
      .max(INTERFACES_MAX, { error: `at most ${INTERFACES_MAX} interfaces` })
      .optional()
      .describe(
        'What its components agree on. They are written and locked before any of them starts.',
      ),
    components: z
      .array(ComponentFile, { error: 'a list of components' })
      .min(1, { error: 'at least one component' })
      .max(COMPONENTS_MAX, { error: `at most ${COMPONENTS_MAX} components` })
      .describe('What the phase is built from.'),
  },
  KEYS,
);

/** What the file of a feature and of a graph have in common. */
export const featureFields = {
  id: matching(/^P\d{1,4}T\d{1,4}$/, 'an id such as P1T5').describe(
    'The id of the feature. Ids of phases and components begin with it.',
  ),
  title: title.describe('One line about the feature.'),
  description: text(1, 20_000, 'text of 1 to 20000 characters')
    .optional()
    .describe('What the feature is for. Every component gets it.'),
  workflow: matching(/^[a-z][a-z0-9_-]{0,63}$/, 'the name of a workflow')
    .optional()
    .describe('The workflow of each component. Default: that of the project.'),
};

const ProjectFile = z.strictObject(
  {
    path: matching(/^[^\0~][^\0]{0,4000}$/, 'a path, such as ../web').describe(
      'The folder of a git repository, relative to the project that the feature starts in.',
    ),
    role: roleName.optional().describe('The role of its components that name none.'),
    depends_on: z
      .array(projectName, { error: 'a list of projects' })
      .max(PROJECTS_MAX, { error: `a list of up to ${PROJECTS_MAX} projects` })
      .optional()
      .describe('Projects whose components come first, in each phase.'),
  },
  KEYS,
);

export const FeatureFile = z.strictObject(
  {
    ...featureFields,
    projects: z
      .record(projectName, ProjectFile, KEYS)
      .refine((all) => Object.keys(all).length >= 1 && Object.keys(all).length <= PROJECTS_MAX, {
        error: `1 to ${PROJECTS_MAX} projects`,
      })
      .optional()
      .describe('The projects that it spans, by name. Default: the one that it starts in.'),
    phases: z
      .array(PhaseFile, { error: 'a list of phases' })
      .min(1, { error: 'at least one phase' })
      .max(PHASES_MAX, { error: `at most ${PHASES_MAX} phases` })
      .describe('The phases, one after the other.'),
  },
  KEYS,
);

export type FeatureFile = Immutable<z.infer<typeof FeatureFile>>;

export function featureFileJsonSchema(): JsonSchema {
  return z.toJSONSchema(FeatureFile, { io: 'input' }) as JsonSchema;
}
