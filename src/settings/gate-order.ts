/** The order of gates that depend on one another. */

type DependentGate = { readonly name: string; readonly dependsOn?: readonly string[] | undefined };

/** Every gate after those that it depends on, else in the given order. A gate of a circle keeps its place. */
export function orderGates<Gate extends DependentGate>(gates: readonly Gate[]): readonly Gate[] {
  const ordered = new Set<Gate>();
  const place = (gate: Gate, above: ReadonlySet<Gate>): void => {
    if (ordered.has(gate) || above.has(gate)) return;
    const path = new Set([...above, gate]);
    for (const name of gate.dependsOn ?? [])
      for (const other of gates) if (other.name === name) place(other, path);
    ordered.add(gate);
  };
  for (const gate of gates) place(gate, new Set());
  return [...ordered];
}

/** The names along a circle, with its first name at both ends. Undefined: there is none. */
export function findCircle(gates: readonly DependentGate[]): readonly string[] | undefined {
  const byName = new Map(gates.map((gate) => [gate.name, gate]));
  const settled = new Set<string>();
  const walk = (name: string, path: readonly string[]): readonly string[] | undefined => {
    const at = path.indexOf(name);
    if (at >= 0) return [...path.slice(at), name];
    if (settled.has(name)) return undefined;
    for (const next of byName.get(name)?.dependsOn ?? []) {
      const circle = walk(next, [...path, name]);
      if (circle !== undefined) return circle;
    }
    settled.add(name);
    return undefined;
  };
  for (const { name } of gates) {
    const circle = walk(name, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
