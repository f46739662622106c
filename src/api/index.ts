export { type ApiParts, addOperationsApi, answerUnreadableAddress } from './routes.ts'
