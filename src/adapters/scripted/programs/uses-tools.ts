/**
 * An agent that calls tools: `uses-tools TIMES DELAY CALL…`. Each call is JSON with a name and an
 * input. It reports the calls one after the other, as often as TIMES says, and does nothing else.
 */
const [times = '1', delay = '0', ...calls] = process.argv.slice(2);
const emit = (event: object): boolean => process.stdout.write(`${JSON.stringify(event)}\n`);

for (let round = 0; round < Number(times); round += 1)
  for (const call of calls) {
    const { name, input } = JSON.parse(call) as { name: string; input: unknown };
    emit({ type: 'tool', name, input });
    await new Promise((resolve) => setTimeout(resolve, Number(delay)));
  }
emit({ type: 'result', summary: `${times} times ${calls.length} calls` });
