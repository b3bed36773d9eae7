/** Tools with which an agent notes what it intends, or what it knows. They always succeed. */
const NOTE_TOOL =
  /^(?:report_?intent|.*think.*|.*todo.*|.*memory.*|update_(?:plan|topic)|task_?(?:create|update|list|get)|tracker_\w+)$/i;

export function isNoteTool(tool: string): boolean {
  return NOTE_TOOL.test(tool);
}
