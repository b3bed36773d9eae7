/** Names for the gates of a project that none of the user's own gates has: a run has both, and a name must be unique. */
type Named = { readonly name: string };

const NAME_CHARS_MAX = 64;

/** `taken` are names of the user's own gates. A gate whose name is free keeps it. */
export function withFreeNames<Gate extends Named>(
  gates: readonly Gate[],
  taken: readonly string[],
): readonly Gate[] {
  const used = new Set([...taken, ...gates.map(({ name }) => name)]);
  return gates.map((gate) => {
    if (!taken.includes(gate.name)) return gate;
    const name = freeName(gate.name, used);
    used.add(name);
    return { ...gate, name };
  });
}

/** One of the first names is free, because `used` is finite. */
function freeName(name: string, used: ReadonlySet<string>): string {
  for (let number = 1; number <= used.size; number += 1) {
    const suffix = number === 1 ? ' project' : ` project ${number}`;
    const candidate = `${name.slice(0, NAME_CHARS_MAX - suffix.length)}${suffix}`;
    if (!used.has(candidate)) return candidate;
  }
  return `project ${used.size + 1}`;
}
