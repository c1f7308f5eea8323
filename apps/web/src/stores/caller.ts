// What a store needs of the connection: to call a method. Tests give another one.
import type { Methods } from "../protocol";

export interface Caller {
  call<M extends keyof Methods>(method: M, params: Methods[M]["params"]): Promise<Methods[M]["reply"]>;
}
