/** Content that is not in the request itself: addresses that the provider would fetch, and files that it keeps. */
import { isRecord } from '../../base/json.ts';
import { recordList, textField } from '../wires/json-shape.ts';
import { isToolData } from '../budget/tool-data.ts';
import { isAbsent, screenRefusal, walkRequest } from './screen.ts';
import type { RequestBody, ScreenResult, ScreenTerms } from './screen.ts';

/** Where an address or the id of a kept file stands, in any of the wires. */
const ADDRESSES = ['image_url', 'file_url', 'fileUri', 'file_uri', 'video_url', 'audio_url'];
const IDS = ['file_id', 'fileId', 'vector_store_id', 'container_id'];

/** Undefined: everything that the model is to read stands in the request. */
export function refuseRemote(
  conversation: unknown,
  { allowed }: Pick<ScreenTerms, 'allowed'>,
): Extract<ScreenResult, { kind: 'refused' }> | undefined {
  let found: Extract<ScreenResult, { kind: 'refused' }> | undefined;
  const see = (item: RequestBody): boolean => {
    if (found !== undefined) return false;
    if (!allowed.has('urls')) {
      const names = isSource(item) ? [...ADDRESSES, 'url'] : ADDRESSES;
      const address = names.find((key) => isAddress(item[key]));
      if (address !== undefined) found = noAddress(address);
    }
    if (!allowed.has('files')) {
      const id = IDS.find((key) => textField(item[key]) !== '');
      if (id !== undefined) found ??= noFile(id);
    }
    for (const [key, value] of Object.entries(item)) {
      if (!isToolData(item, key)) walkRequest(value, see);
    }
    return false;
  };
  walkRequest(conversation, see);
  return found;
}

const READ = ['system', 'messages', 'input', 'systemInstruction', 'contents'];

/** Whether a screened request names content that is not in it, whose size nothing bounds but the context. */
export function namesRemote(body: RequestBody): boolean {
  const conversation = READ.map((name) => body[name]);
  const isRemote = refuseRemote(conversation, { allowed: new Set() }) !== undefined;
  return isRemote || recordList(body['input']).some(isKept);
}

/** Calls that OpenAI performed itself: what they brought may be kept there, and only named here. */
const HOSTED = /^(?:web_search|file_search|code_interpreter|image_generation|mcp)_call$/;

/** An item of OpenAI's without its content: the provider finds that by its id. */
function isKept(item: RequestBody): boolean {
  if (isAbsent(item['id'])) return false;
  if (item['type'] === 'reasoning')
    return isAbsent(item['encrypted_content']) && recordList(item['content']).length === 0;
  return HOSTED.test(textField(item['type']));
}

/** In a quotation an address says where a text is from; nothing is fetched. */
function isSource({ type }: RequestBody): boolean {
  return isAbsent(type) || textField(type).toLowerCase() === 'url';
}

/** Inline data is no address; anything else is one, whatever its scheme. */
function isAddress(value: unknown): boolean {
  const written = isRecord(value) ? value['url'] : value;
  if (isAbsent(written) || written === '') return false;
  return typeof written !== 'string' || !/^data:/i.test(written.trimStart());
}

function noAddress(key: string): Extract<ScreenResult, { kind: 'refused' }> {
  return screenRefusal(
    'url_refused',
    `The request has an address for the provider to fetch (${key}), which is off. Send the content itself, or add urls to gateway.server_tools in your own settings.`,
  );
}

function noFile(key: string): Extract<ScreenResult, { kind: 'refused' }> {
  return screenRefusal(
    'file_refused',
    `The request names a file that is kept at the provider (${key}), which is off. Send the content itself, or add files to gateway.server_tools in your own settings.`,
  );
}
