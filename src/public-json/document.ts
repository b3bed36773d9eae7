/**
 * The one naming scheme of all JSON that scripts read: keys in snake_case, times as ISO 8601 in UTC, durations in `…_ms`,
 * money in `…_usd`, and null for what is unknown. Every document names its schema and the version of that schema.
 */
import { z } from 'zod';
import { RUN_STATES } from '../protocol/views/run-status.ts';

/** Raised when a field changes its meaning or disappears. A new field does not raise it. */
const SCHEME_VERSION = 1;

type SchemaId<Name extends string> = `supervisor.${Name}/${typeof SCHEME_VERSION}`;

/** A document with its name and version. Keys that the schema does not list are refused. */
export function documentSchema<const Name extends string, Shape extends z.ZodRawShape>(
  name: Name,
  description: string,
  shape: Shape,
): z.ZodObject<{ schema: z.ZodLiteral<SchemaId<Name>> } & Shape, z.core.$strict> {
  return z
    .strictObject({
      schema: z
        .literal<SchemaId<Name>>(`supervisor.${name}/${SCHEME_VERSION}`)
        .meta({ description: 'The name and the version of this schema.' }),
      ...shape,
    })
    .meta({ title: `supervisor ${name}`, description });
}

export function field<Schema extends z.ZodType>(schema: Schema, description: string): Schema {
  return schema.meta({ description });
}

export const time = field(z.iso.datetime(), 'ISO 8601 in UTC, such as 2026-11-17T18:00:00.000Z.');
export const runId = field(z.string(), 'The id of a run.');
export const runState = field(z.enum(RUN_STATES), 'What the run is doing, or how it ended.');
export const questionAbout = field(
  z.enum(['keys']).nullable(),
  'keys: the run lacks a key. `supervisor resume` from a shell that has it gives it, and answers.',
);
export const costUsd = field(
  z.number().nullable(),
  'US dollars. Null: the price of at least one call is unknown, or nothing was counted.',
);
export const tokens = field(z.int().nullable(), 'Null: not known.');
export const durationMs = field(z.number(), 'In milliseconds.');
/** Data of an agent, a person or a file. Its keys are not ours and are never renamed. */
export const anyJson = field(z.unknown(), 'Any JSON value. Its keys are those of its author.');

export const Evidence = z.strictObject({
  source: field(z.string(), 'Where the line was seen: gateway, event, stdout, stderr, exit …'),
  line: z.string(),
  rule: field(z.string(), 'The rule that matched it.'),
});

export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

export function toIsoOrNull(ms: number | null): string | null {
  return ms === null ? null : toIso(ms);
}
