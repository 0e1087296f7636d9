import { Inject, Injectable } from '@nestjs/common';
import { MethodNotFoundError } from './errors';
import { compileParams, type ParamsValidator } from './params-validator';
import { RPC_METHODS, type AnonymousRpcMethod, type RpcMethod } from './rpc-method';

export interface RegisteredMethod {
  readonly method: RpcMethod | AnonymousRpcMethod;
  readonly validate: ParamsValidator;
}

/** Wire names to methods. A Map, so that `__proto__` and its like are just unknown names. */
@Injectable()
export class MethodRegistry {
  private readonly methods: ReadonlyMap<string, RegisteredMethod>;

  constructor(@Inject(RPC_METHODS) methods: ReadonlyArray<RpcMethod | AnonymousRpcMethod>) {
    this.methods = new Map(
      methods.map((method) => [method.name, { method, validate: compileParams(method.document) }]),
    );
  }

  /** @throws {MethodNotFoundError} */
  get(name: string): RegisteredMethod {
    const found = this.methods.get(name);
    if (!found) throw new MethodNotFoundError(name);
    return found;
  }
}
