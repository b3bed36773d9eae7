/**
 * An agent that does honest work on code about rate limits. Nothing in its output is a rate limit.
 */
const DIFF = `--- a/client.ts
+++ b/client.ts
@@ -1,3 +1,4 @@
-  if (status === 500) retry();
+  if (status === 429) throw new Error('Too Many Requests: rate limit exceeded, retry-after: 3600');
+  if (status === 503) throw new Error('overloaded_error: quota exhausted');
`;
for (const event of [
  { type: 'text', text: 'I add handling for HTTP 429 (rate limit exceeded).' },
  { type: 'tool', name: 'edit', path: 'client.ts', diff: DIFF },
  { type: 'result', summary: 'client.ts now handles 429 and 503' },
]) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
