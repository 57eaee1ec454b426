// Generates from a model, greedily, and writes the tokens and the logits of every position:
// MODEL FLASH COUNT FILE TOKEN...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "llama.h"

static void decode(llama_context *context, llama_batch &batch, const std::vector<llama_token> &tokens, int from) {
    batch.n_tokens = (int)tokens.size() - from;
    for (int at = 0; at < batch.n_tokens; ++at) {
        batch.token[at] = tokens[from + at];
        batch.pos[at] = from + at;
        batch.n_seq_id[at] = 1;
        batch.seq_id[at][0] = 0;
        batch.logits[at] = 1;
    }
    if (llama_decode(context, batch) != 0) {
        std::fprintf(stderr, "llama_decode failed\n");
        std::exit(2);
    }
}

int main(int argc, char **argv) {
    if (argc < 6) return 64;
    const int count = std::atoi(argv[3]);
    std::vector<llama_token> tokens;
    for (int at = 5; at < argc; ++at) tokens.push_back(std::atoi(argv[at]));

    llama_backend_init();
    llama_model_params of_model = llama_model_default_params();
    of_model.n_gpu_layers = 99;
    llama_model *model = llama_model_load_from_file(argv[1], of_model);
    if (model == nullptr) return 2;
    llama_context_params of_context = llama_context_default_params();
    of_context.n_ctx = 64;
    of_context.n_batch = 64;
    of_context.flash_attn_type = std::atoi(argv[2]) ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
    llama_context *context = llama_init_from_model(model, of_context);
    if (context == nullptr) return 2;

    const int words = llama_vocab_n_tokens(llama_model_get_vocab(model));
    std::vector<float> logits;
    llama_batch batch = llama_batch_init(64, 0, 1);
    for (int from = 0, made = 0; made < count; ++made) {
        decode(context, batch, tokens, from);
        for (int at = 0; at < batch.n_tokens; ++at) {
            const float *row = llama_get_logits_ith(context, at);
            logits.insert(logits.end(), row, row + words);
        }
        from = (int)tokens.size();
        tokens.push_back((llama_token)(std::max_element(logits.end() - words, logits.end()) - (logits.end() - words)));
    }
    for (llama_token token : tokens) std::printf("%d ", token);
    std::printf("\n");
    FILE *file = std::fopen(argv[4], "wb");
    if (file == nullptr || std::fwrite(logits.data(), sizeof(float), logits.size(), file) != logits.size()) return 2;
    std::fclose(file);
    llama_batch_free(batch);
    llama_free(context);
    llama_model_free(model);
    llama_backend_free();
    return 0;
}
