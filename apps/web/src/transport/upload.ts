// Gives the daemon a file; a message then names it by the id that comes back.
import type { Upload } from "../stores/drafts.svelte";
import { CallFailure } from "./failure";

const TOO_LARGE = 413;

export async function uploadFile(file: File): Promise<Upload> {
  const reply = await fetch(`/api/upload?name=${encodeURIComponent(file.name)}`, {
    method: "POST",
    headers: { "content-type": file.type || "application/octet-stream" },
    body: file,
  });
  if (!reply.ok) throw new CallFailure(reply.status === TOO_LARGE ? "too_large" : "upload_failed", (await reply.text()) || `${reply.status} ${reply.statusText}`);
  const { id } = (await reply.json()) as { id: string };
  return { id, name: file.name, bytes: file.size, isImage: file.type.startsWith("image/") };
}
