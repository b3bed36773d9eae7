/** `value` without the keys that are undefined. */
export function defined<Value extends object>(value: Value): Defined<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, part]) => part !== undefined),
  ) as Defined<Value>;
}

/** A key that may be undefined becomes optional; the others stay. */
export type Defined<Value> = {
  [Key in keyof Value as undefined extends Value[Key] ? never : Key]: Value[Key];
} & {
  [Key in keyof Value as undefined extends Value[Key] ? Key : never]?: Exclude<
    Value[Key],
    undefined
  >;
};
