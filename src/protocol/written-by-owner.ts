/** Schemas for values that the owner wrote: only their outer form is checked. */
import { z } from 'zod';

export const jsonRecord: z.ZodType<Record<string, unknown>> = z.record(z.string(), z.json());

/**
 * The type of a value whose parts were typed when the owner wrote them. Over a wire, only its outer
 * form is checked.
 */
export function writtenByOwner<Type>(outerForm: z.ZodType): z.ZodType<Type> {
  return outerForm as z.ZodType<Type>;
}
