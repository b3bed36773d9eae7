/**
 * The schemas of the answers that roles require. Only such an answer counts as a result: a status is
 * one of these words in its field, never a phrase in the agent's prose.
 */
import { z } from 'zod';

export const ANSWER_KINDS = ['plan', 'implementation', 'review', 'generic'] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

const line = z.string({ error: 'text' }).min(1, { error: 'text that is not empty' }).max(10_000, {
  error: 'text of up to 10000 characters',
});
const id = z
  .string({ error: 'an id' })
  .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, { error: 'an id such as login_form' });
const lines = list(line, 'texts');
const paths = list(line.max(1000, { error: 'a path' }), 'paths');
const KEYS = { error: 'an object' };

export const NOTES_MAX = 5;
const note = line.max(500, { error: 'text of up to 500 characters' });

function list<Item extends z.ZodType>(item: Item, what: string) {
  const error = `a list of up to 1000 ${what}`;
  return z.array(item, { error }).max(1000, { error });
}

function word<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: `one of ${words.join(', ')}` });
}

const Component = z.strictObject(
  {
    id,
    title: line,
    files: paths,
    depends_on: list(id, 'ids').prefault([]),
  },
  KEYS,
);

const Interface = z.strictObject(
  { name: line, type: line, definition: line.describe('As it will stand in the code.') },
  KEYS,
);

const Phase = z.strictObject(
  {
    id,
    title: line,
    description: line.optional(),
    components: list(Component, 'components'),
    interfaces: list(Interface, 'interfaces')
      .prefault([])
      .describe('What components agree on before they are built side by side.'),
  },
  KEYS,
);

export const PlanAnswer = z
  .strictObject(
    {
      status: word(['COMPLETE', 'NEEDS_REFINEMENT', 'BLOCKED']),
      phases: list(Phase, 'phases'),
      dependencies: list(
        z.strictObject(
          { from: id.describe('This one…'), to: id.describe('…needs this one.') },
          KEYS,
        ),
        'dependencies',
      ),
      estimated_components: z.int({ error: 'a whole number' }).nonnegative({
        error: 'a whole number from 0',
      }),
      risks: lines.prefault([]),
    },
    KEYS,
  )
  .superRefine((plan, context) => {
    const components = plan.phases.flatMap(({ components }) => components.map(({ id }) => id));
    const ids = [...plan.phases.map(({ id }) => id), ...components];
    const known = new Set(ids);
    const object = (path: PropertyKey[], message: string): void =>
      void context.issues.push({ code: 'custom', path, message, input: plan });
    if (known.size < ids.length) object(['phases'], 'ids that are each given once');
    for (const [at, { from, to }] of plan.dependencies.entries()) {
      if (!known.has(from)) object(['dependencies', at, 'from'], 'the id of a phase or component');
      if (!known.has(to)) object(['dependencies', at, 'to'], 'the id of a phase or component');
    }
    for (const [phase, { components }] of plan.phases.entries())
      for (const [at, { depends_on }] of components.entries())
        for (const [nth, needed] of depends_on.entries())
          if (!known.has(needed))
            object(
              ['phases', phase, 'components', at, 'depends_on', nth],
              'the id of a phase or component',
            );
  });
export type PlanAnswer = z.infer<typeof PlanAnswer>;

const InterfaceChange = z.strictObject(
  {
    file: line.describe('A locked interface file.'),
    reason: line.describe('Why your work cannot do with it as it is.'),
    definition: line.describe('The whole file as it should be.'),
  },
  KEYS,
);
export type InterfaceChange = z.infer<typeof InterfaceChange>;

const ImplementationAnswer = z.strictObject(
  {
    status: word(['SUCCESS', 'PARTIAL', 'FAILED']),
    files_created: paths,
    files_modified: paths,
    tests_written: paths,
    blockers: lines.prefault([]),
    interface_changes: list(InterfaceChange, 'changes of interfaces')
      .optional()
      .describe('Only if a locked interface has to change: a person decides, and you start again.'),
    notes: list(note, 'notes')
      .max(NOTES_MAX, { error: `up to ${NOTES_MAX} notes` })
      .optional()
      .describe(
        'Only what later work on this feature has to know and cannot see in the files. Its agents read it.',
      ),
  },
  KEYS,
);

const Finding = z.strictObject(
  {
    severity: word(['critical', 'high', 'medium', 'low']),
    file: line.optional(),
    line: z.int({ error: 'a line number' }).min(1, { error: 'a line number' }).optional(),
    description: line,
    suggestion: line.optional(),
  },
  KEYS,
);

const ReviewAnswer = z.strictObject(
  {
    status: word(['APPROVED', 'CHANGES_REQUESTED', 'REJECTED']),
    issues: list(Finding, 'issues'),
    suggestions: lines,
    security_concerns: lines.prefault([]),
  },
  KEYS,
);

const GenericAnswer = z.strictObject(
  {
    status: word(['SUCCESS', 'NEEDS_REVISION', 'BLOCKED']),
    action_taken: line,
    files_modified: paths,
    review_status: word(['APPROVED', 'CHANGES_REQUESTED']).nullable(),
    blockers: lines.nullable(),
    next_step: line.nullable(),
  },
  KEYS,
);

export const ANSWERS = {
  plan: PlanAnswer,
  implementation: ImplementationAnswer,
  review: ReviewAnswer,
  generic: GenericAnswer,
} as const satisfies Record<AnswerKind, z.ZodType>;
export type Answer<Kind extends AnswerKind = AnswerKind> = z.infer<(typeof ANSWERS)[Kind]>;

/** For the prompt, and for a CLI that enforces a schema itself. */
export function answerJsonSchema(kind: AnswerKind): Readonly<Record<string, unknown>> {
  const { $schema: _, ...schema } = z.toJSONSchema(ANSWERS[kind], { io: 'input' });
  return schema;
}
