/* libacl_tdt_channel: channels between the host and the device. Nothing sends on the side of the device, so that what comes
 * from it is always empty, and what the host sends is refused. Items and datasets are real. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl_tdt.h"
#include "core/sim.h"

struct acltdtDataItem {
    sim_handle head;
    acltdtTensorType type;
    aclDataType dtype;
    size_t rank;
    int64_t *dims;
    void *data; /* the program's */
    size_t size;
};

struct acltdtDataset {
    sim_handle head;
    acltdtDataItem **items;
    size_t count;
};

struct acltdtChannelHandle {
    sim_handle head;
    char *name;
    bool stopped;
};

static int check(const sim_site *site, sim_kind kind, const void *handle, const char *noun) {
    return handle == NULL ? sim_fail(site, ACL_ERROR_INVALID_PARAM, "The %s is null.", noun)
                          : sim_check(site, kind, handle, ACL_ERROR_INVALID_PARAM);
}

static int end(const sim_site *site, sim_kind kind, const void *handle, const char *noun) {
    const int code = check(site, kind, handle, noun);
    if (code == 0) {
        sim_retire(handle);
    }
    return code;
}

/* ---- items -------------------------------------------------------------------------------------------------------- */

static void dispose_item(void *object) { free(((acltdtDataItem *)object)->dims); }

acltdtDataItem *acltdtCreateDataItem(acltdtTensorType tdtType, const int64_t *dims, size_t dimNum, aclDataType dataType, void *data,
                                     size_t size) {
    SIM_ENTER_POINTER;
    if (dims == NULL && dimNum > 0) {
        sim_fail(site, ACL_ERROR_INVALID_PARAM, "The dims of rank %zu are null.", dimNum);
        return NULL;
    }
    acltdtDataItem *item = sim_create(site, SIM_TDT_ITEM, sizeof *item, dispose_item);
    int64_t *copied = item != NULL ? malloc(sizeof *dims * dimNum + 1) : NULL;
    if (copied == NULL) {
        sim_retire(item);
        sim_fail(site, ACL_ERROR_BAD_ALLOC, "There is no memory for an item.");
        return NULL;
    }
    if (dimNum > 0) {
        memcpy(copied, dims, sizeof *dims * dimNum);
    }
    item->type = tdtType;
    item->dtype = dataType;
    item->rank = dimNum;
    item->dims = copied;
    item->data = data;
    item->size = size;
    return item;
}

FORWARD(aclError, acltdtDestroyDataItem, (acltdtDataItem *dataItem), end(site, SIM_TDT_ITEM, dataItem, "item"))

#define OF_ITEM(result, name, field, none)                                                                             \
    result name(const acltdtDataItem *dataItem) {                                                                      \
        SIM_SITE;                                                                                                      \
        return check(site, SIM_TDT_ITEM, dataItem, "item") == 0 ? dataItem->field : none;                              \
    }

OF_ITEM(acltdtTensorType, acltdtGetTensorTypeFromItem, type, ACL_TENSOR_DATA_UNDEFINED)
OF_ITEM(aclDataType, acltdtGetDataTypeFromItem, dtype, ACL_DT_UNDEFINED)
OF_ITEM(void *, acltdtGetDataAddrFromItem, data, NULL)
OF_ITEM(size_t, acltdtGetDataSizeFromItem, size, 0)
OF_ITEM(size_t, acltdtGetDimNumFromItem, rank, 0)

aclError acltdtGetDimsFromItem(const acltdtDataItem *dataItem, int64_t *dims, size_t dimNum) {
    SIM_ENTER;
    const int code = check(site, SIM_TDT_ITEM, dataItem, "item");
    if (code != 0) {
        return code;
    }
    if (dimNum < dataItem->rank || (dims == NULL && dimNum > 0)) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The place for %zu dims is null or too small for %zu.", dimNum, dataItem->rank);
    }
    if (dataItem->rank > 0) {
        memcpy(dims, dataItem->dims, sizeof *dims * dataItem->rank);
    }
    return 0;
}

/* No item is a slice of a larger one. */
aclError acltdtGetSliceInfoFromItem(const acltdtDataItem *dataItem, size_t *sliceNum, size_t *sliceId) {
    SIM_ENTER;
    const int code = check(site, SIM_TDT_ITEM, dataItem, "item");
    if (code != 0) {
        return code;
    }
    if (sliceNum == NULL || sliceId == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the %s of the slice is null.", sliceNum == NULL ? "number" : "place");
    }
    *sliceNum = 0;
    *sliceId = 0;
    return 0;
}

/* ---- datasets ----------------------------------------------------------------------------------------------------- */

static void dispose_dataset(void *object) { free(((acltdtDataset *)object)->items); }

acltdtDataset *acltdtCreateDataset(void) {
    SIM_ENTER_POINTER;
    acltdtDataset *made = sim_create(site, SIM_TDT_DATASET, sizeof *made, dispose_dataset);
    if (made == NULL) {
        sim_fail(site, ACL_ERROR_BAD_ALLOC, "There is no memory for a dataset.");
    }
    return made;
}

FORWARD(aclError, acltdtDestroyDataset, (acltdtDataset *dataset), end(site, SIM_TDT_DATASET, dataset, "dataset"))

aclError acltdtAddDataItem(acltdtDataset *dataset, acltdtDataItem *dataItem) {
    SIM_ENTER;
    int code = check(site, SIM_TDT_DATASET, dataset, "dataset");
    code = code != 0 ? code : check(site, SIM_TDT_ITEM, dataItem, "item");
    if (code != 0) {
        return code;
    }
    acltdtDataItem **longer = realloc(dataset->items, sizeof *longer * (dataset->count + 1));
    if (longer == NULL) {
        return sim_fail(site, ACL_ERROR_BAD_ALLOC, "There is no memory for an item.");
    }
    longer[dataset->count++] = dataItem;
    dataset->items = longer;
    return 0;
}

acltdtDataItem *acltdtGetDataItem(const acltdtDataset *dataset, size_t index) {
    SIM_ENTER_POINTER;
    if (check(site, SIM_TDT_DATASET, dataset, "dataset") != 0) {
        return NULL;
    }
    if (index >= dataset->count) {
        sim_fail(site, ACL_ERROR_INVALID_PARAM, "The index (%zu) is beyond the %zu items.", index, dataset->count);
        return NULL;
    }
    return dataset->items[index];
}

size_t acltdtGetDatasetSize(const acltdtDataset *dataset) {
    SIM_SITE;
    return check(site, SIM_TDT_DATASET, dataset, "dataset") == 0 ? dataset->count : 0;
}

/* A dataset that came from no channel has no name. */
const char *acltdtGetDatasetName(const acltdtDataset *dataset) {
    SIM_SITE;
    return check(site, SIM_TDT_DATASET, dataset, "dataset") == 0 ? "" : NULL;
}

/* ---- channels ----------------------------------------------------------------------------------------------------- */

static void dispose_channel(void *object) { free(((acltdtChannelHandle *)object)->name); }

static acltdtChannelHandle *create(const sim_site *site, uint32_t device, const char *name) {
    if (name == NULL) {
        sim_fail(site, ACL_ERROR_INVALID_PARAM, "The name of the channel is null.");
        return NULL;
    }
    if (device > INT32_MAX || sim_check_device(site, (int32_t)device) != 0) {
        return NULL;
    }
    acltdtChannelHandle *made = sim_create(site, SIM_TDT_CHANNEL, sizeof *made, dispose_channel);
    char *copied = made != NULL ? strdup(name) : NULL;
    if (copied == NULL) {
        sim_retire(made);
        sim_fail(site, ACL_ERROR_BAD_ALLOC, "There is no memory for a channel.");
        return NULL;
    }
    made->name = copied;
    return made;
}

acltdtChannelHandle *acltdtCreateChannel(uint32_t deviceId, const char *name) {
    SIM_ENTER_POINTER;
    return create(site, deviceId, name);
}

acltdtChannelHandle *acltdtCreateChannelWithCapacity(uint32_t deviceId, const char *name, size_t capacity) {
    SIM_ENTER_POINTER;
    (void)capacity; /* nothing stays in it */
    return create(site, deviceId, name);
}

aclError acltdtStopChannel(acltdtChannelHandle *handle) {
    SIM_ENTER;
    const int code = check(site, SIM_TDT_CHANNEL, handle, "channel");
    if (code == 0) {
        __atomic_store_n(&handle->stopped, true, __ATOMIC_RELEASE);
    }
    return code;
}

FORWARD(aclError, acltdtCleanChannel, (acltdtChannelHandle *handle), check(site, SIM_TDT_CHANNEL, handle, "channel"))
FORWARD(aclError, acltdtDestroyChannel, (acltdtChannelHandle *handle), end(site, SIM_TDT_CHANNEL, handle, "channel"))

static int check_transfer(const sim_site *site, const acltdtChannelHandle *handle, const acltdtDataset *dataset) {
    const int code = check(site, SIM_TDT_CHANNEL, handle, "channel");
    return code != 0 ? code : check(site, SIM_TDT_DATASET, dataset, "dataset");
}

aclError acltdtSendTensor(const acltdtChannelHandle *handle, const acltdtDataset *dataset, int32_t timeout) {
    SIM_ENTER;
    (void)timeout;
    const int code = check_transfer(site, handle, dataset);
    return code != 0 ? code
                     : sim_fail(site, ACL_ERROR_FEATURE_UNSUPPORTED, "Nothing on the device takes what the channel %s sends.", handle->name);
}

/* It waits for a tenth of a second at most: a program that waits longer asks again. */
aclError acltdtReceiveTensor(const acltdtChannelHandle *handle, acltdtDataset *dataset, int32_t timeout) {
    SIM_ENTER;
    const int code = check_transfer(site, handle, dataset);
    if (code != 0) {
        return code;
    }
    if (timeout != 0 && !__atomic_load_n(&handle->stopped, __ATOMIC_ACQUIRE)) {
        usleep((useconds_t)(timeout < 0 || timeout > 100 ? 100 : timeout) * 1000);
    }
    return ACL_ERROR_RT_QUEUE_EMPTY; /* no failure, and so no message */
}

aclError acltdtQueryChannelSize(const acltdtChannelHandle *handle, size_t *size) {
    SIM_ENTER;
    const int code = check(site, SIM_TDT_CHANNEL, handle, "channel");
    if (code == 0 && size == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the size is null.");
    }
    if (code == 0) {
        *size = 0;
    }
    return code;
}
