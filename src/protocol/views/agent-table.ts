/** The agents of the user's own configuration as a table, and a change of it. */
import { z } from 'zod';

const ROWS_MAX = 100;
const TEXT_MAX = 4096;
const text = z.string().max(TEXT_MAX);

/** What a table can change of an agent. Everything else is changed in the file. */
const Fields = {
  id: text.min(1),
  cli: text.min(1),
  model: text.nullable(),
  configDir: text.nullable(),
};

const AgentTableRow = z.strictObject({
  ...Fields,
  /** Other keys of this agent that the file sets, without their values. */
  others: z.array(z.string()),
});
export type AgentTableRow = z.infer<typeof AgentTableRow>;

const Selection = {
  mode: text,
  /** Which agent takes over from which. */
  fallbacks: z.record(text, text),
  pinned: text.nullable(),
};

export const AgentTableView = z.strictObject({
  file: z.string(),
  /** Of the text of the file. A change names the version that it is made to. */
  version: z.string(),
  rows: z.array(AgentTableRow),
  ...Selection,
  /** What a new row can be, and what the mode can be. */
  clis: z.array(z.string()),
  modes: z.array(z.string()),
});
export type AgentTableView = z.infer<typeof AgentTableView>;

export const AgentTableChange = z.strictObject({
  version: z.string().max(200),
  rows: z
    .array(
      z.strictObject({
        ...Fields,
        /** Its place in the table before. Null: it is new. */
        was: z.int().min(0).max(ROWS_MAX).nullable(),
      }),
    )
    .max(ROWS_MAX),
  ...Selection,
});
export type AgentTableChange = z.infer<typeof AgentTableChange>;

/** Whether each agent of the table could work now. */
export const AgentTableTest = z.strictObject({
  agents: z.array(
    z.strictObject({
      id: z.string(),
      state: z.enum(['ok', 'limited', 'missing', 'broken', 'cooling']),
      found: z.string().nullable(),
      note: z.string().nullable(),
      /** The commands that repair it. */
      get: z.array(z.string()).nullable(),
    }),
  ),
});
export type AgentTableTest = z.infer<typeof AgentTableTest>;
