import { applyDecorators, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

/** All operations' paths start with this (interface, part B). */
export const SDK_PATH = 'api/v2/public/sdk';

/** A controller of operations. @param tag its chapter in the API document @param path behind {@link SDK_PATH} */
export const ApiController = (tag: string, path = ''): ClassDecorator =>
  applyDecorators(ApiTags(tag), Controller([SDK_PATH, path].filter(Boolean).join('/')));
